import { createBullBoard } from '@bull-board/api';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { KoaAdapter } from '@bull-board/koa';
import type Koa from 'koa';
import type { Queues } from '../platform/redis/queues.ts';

/** The page loads fonts from a third party, which would learn when an operator looks at the queues. */
const FOREIGN_LINK = /<link [^>]*href="(?:https?:)?\/\/[^>]*>\s*/g;
/** Blocks third-party requests that another release of the dashboard may add. */
const OWN_ORIGIN_ONLY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "frame-ancestors 'none'",
].join('; ');

/** The read-only dashboard below `path`. The relay repeats failed jobs, so nobody does so by hand. */
export function queueDashboard(queues: Queues, path: string): Koa.Middleware {
  const serverAdapter = new KoaAdapter();
  serverAdapter.setBasePath(path);
  const shown = Object.values(queues).map((queue) => new BullMQAdapter(queue, { readOnlyMode: true }));
  createBullBoard({ queues: shown, serverAdapter, options: { uiConfig: { boardTitle: 'Forum queues' } } });
  const serve = serverAdapter.registerPlugin();
  return async (koa, next) => {
    await serve(koa, next);
    koa.set('content-security-policy', OWN_ORIGIN_ONLY);
    if (koa.type === 'text/html' && typeof koa.body === 'string') koa.body = koa.body.replaceAll(FOREIGN_LINK, '');
  };
}
