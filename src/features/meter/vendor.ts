import type Anthropic from '@anthropic-ai/sdk';
import type { Config } from '../../config.ts';
import { canonicalJson } from '../../protocol/canonicalJson.ts';
import { inferenceRequest, type Prompt } from './prompts.ts';
import { COUNT_TIMEOUT_MS, INFERENCE_TIMEOUT_MS } from './rules.ts';
import type { Call, CallError } from './schemas.ts';

type Usage = NonNullable<Call['usage']>;

export type CallResult =
  | { readonly ok: true; readonly usage: Usage; readonly inputTokens: number; readonly text: string }
  | { readonly ok: false; readonly error: CallError };

const MAX_USAGE_CHARACTERS = 4_096;
/** Bytes of an answer after decompression: a thousand times what is asked for. */
const MAX_ANSWER_BYTES = 4_194_304;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

/** Each call sends one request, has a time limit and never throws. Drops refusal texts, as they may repeat the key. */
export class Vendor {
  readonly #client: Anthropic;
  readonly #model: string;
  readonly #apiKey: string;

  /** Imports the client on demand, because most processes never probe. */
  static async load({ vendorApiKey, vendorBaseUrl }: Config['meter'], model: string): Promise<Vendor> {
    const { default: Client } = await import('@anthropic-ai/sdk');
    const apiKey = vendorApiKey!;
    const client = new Client({
      apiKey,
      webhookKey: null,
      baseURL: vendorBaseUrl,
      maxRetries: 0,
      // A redirect would be a second request and could send the key elsewhere. Not `error`: in Node.js 20 that drops
      // the signal at garbage collection (nodejs/undici#4627), and a body that never ends would be awaited for ever.
      fetchOptions: { redirect: 'manual' },
      fetch: boundedFetch,
      logLevel: 'off',
      openTelemetry: false,
    });
    return new Vendor(client, model, apiKey);
  }

  private constructor(client: Anthropic, model: string, apiKey: string) {
    this.#client = client;
    this.#model = model;
    this.#apiKey = apiKey;
  }

  count(prompt: Prompt): Promise<CallResult> {
    return this.#call(COUNT_TIMEOUT_MS, async (options) => {
      const answer: unknown = await this.#client.messages.countTokens({ model: this.#model, ...prompt }, options);
      return {
        usage: property(answer, 'input_tokens') === undefined ? undefined : { ...(answer as object) },
        text: '',
      };
    });
  }

  infer(prompt: Prompt): Promise<CallResult> {
    return this.#call(INFERENCE_TIMEOUT_MS, async (options) => {
      const answer: unknown = await this.#client.messages.create(inferenceRequest(this.#model, prompt), options);
      const usage = property(answer, 'usage');
      return { usage: isCount(property(usage, 'output_tokens')) ? usage : undefined, text: textOf(answer) };
    });
  }

  async #call(
    timeoutMs: number,
    send: (options: Anthropic.RequestOptions) => Promise<{ usage: unknown; text: string }>,
  ): Promise<CallResult> {
    // The client's own time limit ends with the headers. The signal covers the body too.
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const { usage, text } = await send({ signal, timeout: timeoutMs });
      const inputTokens = property(usage, 'input_tokens');
      if (!isCount(inputTokens) || !this.#isFitToKeep(usage)) return { ok: false, error: { reason: 'answer' } };
      return { ok: true, usage: usage as Usage, inputTokens, text };
    } catch (error) {
      return { ok: false, error: callError(error, signal.aborted) };
    }
  }

  /** Counters are stored unchanged, unless they are too long, no JSON, or contain the key. */
  #isFitToKeep(usage: unknown): boolean {
    const text = canonicalJson(usage);
    return text.length <= MAX_USAGE_CHARACTERS && !text.includes(JSON.stringify(this.#apiKey).slice(1, -1));
  }
}

/** Cuts off answers that are too long, so that they cannot fill the worker's memory. */
async function boundedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  if (!response.body) return response;
  let bytes = 0;
  const bounded = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > MAX_ANSWER_BYTES) controller.error(new RangeError('the answer is too long'));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(bounded), response);
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function textOf(answer: unknown): string {
  const content = property(answer, 'content');
  if (!Array.isArray(content)) return '';
  return content
    .map((block) => property(block, 'text'))
    .filter((text) => typeof text === 'string')
    .join('');
}

function callError(error: unknown, isTimeout: boolean): CallError {
  if (isTimeout) return { reason: 'timeout' };
  const status = property(error, 'status');
  if (typeof status === 'number') return { reason: 'status', status };
  return { reason: error instanceof SyntaxError || error instanceof RangeError ? 'answer' : 'connection' };
}
