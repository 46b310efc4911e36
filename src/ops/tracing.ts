import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { OutageReports } from '../platform/outages.ts';
import { Tracing } from '../platform/tracing.ts';
import { VERSION } from '../protocol/service.ts';
import type { ProcessKind } from './metrics.ts';

/** Starts tracing if the configuration names a collector (docs/operations#traces). A lost collector is a warning. */
export async function startTracing(kind: ProcessKind, config: Config, log: Logger): Promise<Tracing | undefined> {
  const { otlpEndpoint, traceShare, processName } = config;
  if (otlpEndpoint === undefined) return undefined;
  const outages = new OutageReports(({ reason, requests }) =>
    log.warn({ reason, batches: requests }, 'traces are lost'),
  );
  const tracing = await Tracing.start({
    endpoint: otlpEndpoint,
    share: traceShare,
    service: `forum-${kind}`,
    version: VERSION,
    instance: processName,
    onFailure: (error) => outages.count(error instanceof Error ? error.message || error.name : 'unknown', ''),
  });
  log.info({ share: traceShare }, 'sending traces');
  return tracing;
}
