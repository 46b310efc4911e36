/** Traces of OpenTelemetry (docs/operations#traces). Spans are passed along; a request that is not sampled has none. */
import {
  type Attributes,
  type Span as OpenTelemetrySpan,
  ROOT_CONTEXT,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';

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

/** Creates the spans of a process. */
export class Tracing {
  readonly #tracer: Tracer;
  readonly #share: number;
  /** Sends the last spans. */
  readonly stop: () => Promise<void>;

  /** `share` is the share of requests that are traced, 0 to 1. */
  constructor(tracer: Tracer, share: number, stop: () => Promise<void>) {
    this.#tracer = tracer;
    this.#share = share;
    this.stop = stop;
  }

  /**
   * The span of a request; undefined if it is not sampled. `traceparent` is a valid W3C header, or undefined. Its flag
   * is ignored: a stranger could raise the share with it.
   */
  ofRequest(traceparent: string | undefined): Span | undefined {
    if (Math.random() >= this.#share) return undefined;
    const [, traceId = '', spanId = ''] = traceparent?.split('-') ?? [];
    const parent = traceparent === undefined ? undefined : { traceId, spanId };
    return this.#start('request', { kind: SpanKind.SERVER }, parent);
  }

  /** A span below one of another process. */
  below(name: string, parent: SpanPosition, startedAtMs: number): Span {
    return this.#start(name, { kind: SpanKind.CONSUMER, startTime: startedAtMs }, parent);
  }

  #start(name: string, options: SpanOptions, parent: SpanPosition | undefined): Span {
    const context = parent
      ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, traceFlags: TraceFlags.SAMPLED, isRemote: true })
      : ROOT_CONTEXT;
    return new Span(this.#tracer, this.#tracer.startSpan(name, options, context));
  }
}

/** A span that is sampled. */
export class Span {
  readonly #tracer: Tracer;
  readonly #span: OpenTelemetrySpan;

  constructor(tracer: Tracer, span: OpenTelemetrySpan) {
    this.#tracer = tracer;
    this.#span = span;
  }

  get position(): SpanPosition {
    const { traceId, spanId } = this.#span.spanContext();
    return { traceId, spanId };
  }

  /** Measures `work` with a span below this one. */
  async during<T>(name: string, work: Promise<T>, attributes: Attributes = {}): Promise<T> {
    const context = trace.setSpan(ROOT_CONTEXT, this.#span);
    const child = new Span(this.#tracer, this.#tracer.startSpan(name, { attributes }, context));
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
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
    this.#span.setAttribute('error.type', error instanceof Error ? error.name : 'error');
  }

  end(attributes: Attributes = {}): void {
    this.#span.setAttributes(attributes);
    this.#span.end();
  }
}
