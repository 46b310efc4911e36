import { pino } from 'pino';
import { originOf } from '../../../src/discovery/addresses.ts';
import { createApp, listen } from '../../../src/http/app.ts';
import type { Operation } from '../../../src/operation/operation.ts';
import { OPERATIONS } from '../../../src/operations.ts';
import type { Services } from '../../../src/pipeline/execute.ts';
import { Site } from '../../../src/web/site.ts';
import type { TestForum } from '../../support/forum.ts';

export interface Variant {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Serves the same forum, database and Redis a second time. The test can set its clock to the millisecond, give it a
 * replica that lags, or operations of its own, and so reach every branch of the pipeline.
 */
export async function serveVariant(
  forum: TestForum,
  {
    operations = [],
    ...changes
  }: Partial<Pick<Services, 'clock' | 'config' | 'replica' | 'concurrency' | 'checker'>> & { operations?: Operation[] },
): Promise<Variant> {
  const all = [...OPERATIONS, ...operations];
  const services = { ...forum.api.services, ...changes, operations: new Map(all.map((op) => [op.name, op])) };
  const app = createApp(services, all, pino({ level: 'silent' }), new Site(services, originOf(services.config)));
  const server = await listen(app, services.clock, { host: '127.0.0.1', port: 0 });
  return { url: server.url, stop: () => server.drain() };
}
