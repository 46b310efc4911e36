import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { Tracing } from '../platform/tracing.ts';
import { VERSION } from '../protocol/service.ts';
import type { ProcessKind } from './metrics.ts';
import { OutageReports } from './outages.ts';

/** How long the last spans may take to leave when the process stops. */
const STOP_TIMEOUT_MS = 2_000;

/** Starts tracing if the configuration names a collector (docs/operations#traces). A lost collector is a warning. */
export async function startTracing(kind: ProcessKind, config: Config, log: Logger): Promise<Tracing | undefined> {
  const { otlpEndpoint, traceShare, processName } = config;
  if (otlpEndpoint === undefined) return undefined;
  // A process without tracing does not load these packages.
  const [{ setGlobalErrorHandler }, { resourceFromAttributes }, sdk, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/core'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const outages = new OutageReports(({ reason, requests }) =>
    log.warn({ reason, batches: requests }, 'traces are lost'),
  );
  const onFailure = (error: unknown) =>
    outages.count(error instanceof Error ? error.message || error.name : 'unknown', '');
  setGlobalErrorHandler(onFailure);
  const exporter = new OTLPTraceExporter({ url: `${otlpEndpoint.replace(/\/$/, '')}/v1/traces` });
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({
      'service.name': `forum-${kind}`,
      'service.version': VERSION,
      'service.instance.id': processName,
    }),
    sampler: new sdk.AlwaysOnSampler(),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  });
  log.info({ share: traceShare }, 'sending traces');
  return new Tracing(provider.getTracer('agent-forum'), traceShare, async () => {
    await provider.forceFlush({ timeoutMillis: STOP_TIMEOUT_MS }).catch(onFailure);
    await provider.shutdown();
  });
}
