/**
 * Traces of OpenTelemetry (docs/operations#traces). Spans are passed along explicitly, and a request that is not
 * sampled has none, so that tracing costs nothing where it is off.
 */
import type { Attributes, Span as OpenTelemetrySpan, SpanOptions, Tracer } from '@opentelemetry/api';

export interface TracingOptions {
  /** The address of an OTLP collector, without `/v1/traces`. */
  readonly endpoint: string;
  /** The share of requests that are traced, 0 to 1. */
  readonly share: number;
  readonly service: string;
  readonly version: string;
  readonly instance: string;
  /** Called when spans could not be sent. They are lost. */
  readonly onFailure: (error: unknown) => void;
}

/** The position of a span in its trace: 32 and 16 hexadecimal digits. */
export interface SpanPosition {
  readonly traceId: string;
  readonly spanId: string;
}

/** The form of a position in the outbox and in jobs. Without a span it is the trace id alone. */
export const traceText = ({ traceId, spanId }: SpanPosition): string => `${traceId}-${spanId}`;

/** Reads what `traceText` wrote; `spanId` is undefined if the request was not traced. */
export function readTraceText(text: string): { traceId: string; spanId: string | undefined } {
  const [traceId = '', spanId] = text.split('-');
  return { traceId, spanId };
}

/** How long the last spans may take to leave when the process stops. */
const STOP_TIMEOUT_MS = 2_000;

type Api = typeof import('@opentelemetry/api');

/** Creates the spans of a process and sends them in batches, beside the requests. */
export class Tracing {
  readonly #api: Api;
  readonly #tracer: Tracer;
  readonly #share: number;
  readonly stop: () => Promise<void>;

  private constructor(api: Api, tracer: Tracer, share: number, stop: () => Promise<void>) {
    this.#api = api;
    this.#tracer = tracer;
    this.#share = share;
    this.stop = stop;
  }

  /** Loads the packages, which a process without tracing does not load. */
  static async start(options: TracingOptions): Promise<Tracing> {
    const [api, { setGlobalErrorHandler }, { resourceFromAttributes }, sdk, { OTLPTraceExporter }] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/core'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
    ]);
    setGlobalErrorHandler(options.onFailure);
    const exporter = new OTLPTraceExporter({ url: `${options.endpoint.replace(/\/$/, '')}/v1/traces` });
    const provider = new sdk.TracerProvider({
      resource: resourceFromAttributes({
        'service.name': options.service,
        'service.version': options.version,
        'service.instance.id': options.instance,
      }),
      sampler: new sdk.AlwaysOnSampler(),
      spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
    });
    const stop = async () => {
      await provider.forceFlush({ timeoutMillis: STOP_TIMEOUT_MS }).catch(options.onFailure);
      await provider.shutdown();
    };
    return new Tracing(api, provider.getTracer('agent-forum'), options.share, stop);
  }

  /**
   * The span of a request; undefined if it is not sampled. `traceparent` is a valid W3C header, or undefined. Its flag
   * is ignored: a stranger could raise the share with it.
   */
  ofRequest(traceparent: string | undefined): Span | undefined {
    if (Math.random() >= this.#share) return undefined;
    const [, traceId = '', spanId = ''] = traceparent?.split('-') ?? [];
    const parent = traceparent === undefined ? undefined : { traceId, spanId };
    return this.#start('request', { kind: this.#api.SpanKind.SERVER }, parent);
  }

  /** A span below one of another process. */
  below(name: string, parent: SpanPosition, startedAtMs: number): Span {
    return this.#start(name, { kind: this.#api.SpanKind.CONSUMER, startTime: startedAtMs }, parent);
  }

  #start(name: string, options: SpanOptions, parent: SpanPosition | undefined): Span {
    const { ROOT_CONTEXT, trace, TraceFlags } = this.#api;
    const context = parent
      ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, traceFlags: TraceFlags.SAMPLED, isRemote: true })
      : ROOT_CONTEXT;
    return new Span(this.#api, this.#tracer, this.#tracer.startSpan(name, options, context));
  }
}

/** A span that is sampled. */
export class Span {
  readonly #api: Api;
  readonly #tracer: Tracer;
  readonly #span: OpenTelemetrySpan;

  constructor(api: Api, tracer: Tracer, span: OpenTelemetrySpan) {
    this.#api = api;
    this.#tracer = tracer;
    this.#span = span;
  }

  get position(): SpanPosition {
    const { traceId, spanId } = this.#span.spanContext();
    return { traceId, spanId };
  }

  child(name: string, attributes: Attributes = {}): Span {
    const context = this.#api.trace.setSpan(this.#api.ROOT_CONTEXT, this.#span);
    return new Span(this.#api, this.#tracer, this.#tracer.startSpan(name, { attributes }, context));
  }

  /** Measures `work` with a child. */
  async during<T>(name: string, work: Promise<T>, attributes?: Attributes): Promise<T> {
    const child = this.child(name, attributes);
    try {
      return await work;
    } catch (error) {
      child.fail(error);
      throw error;
    } finally {
      child.end();
    }
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  /** The attribute names the class of the error only, because a message may contain what an agent wrote. */
  fail(error: unknown): void {
    this.#span.setStatus({ code: this.#api.SpanStatusCode.ERROR });
    this.#span.setAttribute('error.type', error instanceof Error ? error.name : 'error');
  }

  end(attributes: Attributes = {}): void {
    this.#span.setAttributes(attributes);
    this.#span.end();
  }
}
