import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export type Kind = 'count' | 'inference';

/** What the vendor does instead of answering well. */
export type Fault =
  | { readonly status: number }
  | 'silence'
  | 'slow body'
  | 'cut off'
  | 'no JSON'
  | 'broken JSON'
  | 'no usage'
  | 'negative usage'
  | 'key in usage'
  | 'redirect'
  | 'too long';

interface TextBlock {
  readonly text: string;
  readonly cache_control?: { readonly type: string };
}

export interface RequestBody {
  readonly model: string;
  readonly max_tokens?: number;
  readonly system: readonly TextBlock[];
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

export interface SeenRequest {
  readonly kind: Kind;
  readonly headers: IncomingHttpHeaders;
  readonly body: RequestBody;
}

const CHARACTERS_PER_TOKEN = 4;

/** A small vendor on loopback that speaks the Messages API, with a prompt cache, token counting and faults. */
export class TestVendor {
  readonly requests: SeenRequest[] = [];
  /** Asked before each answer, with how many requests of the kind came before. */
  fault: (kind: Kind, earlier: number) => Fault | undefined | Promise<Fault | undefined> = () => undefined;
  url = '';
  readonly #cache = new Set<string>();
  readonly #server = createServer((request, response) => {
    this.#serve(request, response).catch(() => response.destroy());
  });

  static async start(): Promise<TestVendor> {
    const vendor = new TestVendor();
    await new Promise<void>((resolve) => vendor.#server.listen(0, '127.0.0.1', resolve));
    vendor.url = `http://127.0.0.1:${(vendor.#server.address() as AddressInfo).port}`;
    return vendor;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Forgets what was asked and answers well again. */
  reset(): void {
    this.requests.length = 0;
    this.fault = () => undefined;
  }

  count(kind: Kind): number {
    return this.requests.filter((request) => request.kind === kind).length;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const kinds: Record<string, Kind> = { '/v1/messages': 'inference', '/v1/messages/count_tokens': 'count' };
    const kind = request.method === 'POST' ? kinds[request.url ?? ''] : undefined;
    if (!kind || !request.headers['anthropic-version']) throw new Error('no such route');
    const body = (await json(request)) as RequestBody;
    this.requests.push({ kind, headers: request.headers, body });
    const fault = await this.fault(kind, this.count(kind) - 1);
    const answer = kind === 'count' ? { input_tokens: inputTokens(body) } : this.#message(body);
    if (fault === undefined) send(response, 200, answer);
    else misbehave(fault, request, response, answer);
  }

  #message(body: RequestBody): object {
    const prefix = cachedPrefix(body);
    const isHit = prefix !== '' && this.#cache.has(prefix);
    if (prefix !== '') this.#cache.add(prefix);
    const cachedTokens = tokens(prefix.length);
    return {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: body.model,
      content: [{ type: 'text', text: '180' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: inputTokens(body) - cachedTokens,
        output_tokens: 3,
        cache_creation_input_tokens: isHit ? 0 : cachedTokens,
        cache_read_input_tokens: isHit ? cachedTokens : 0,
        cache_creation: { ephemeral_5m_input_tokens: isHit ? 0 : cachedTokens, ephemeral_1h_input_tokens: 0 },
        service_tier: 'standard',
      },
    };
  }
}

const tokens = (characters: number): number => Math.ceil(characters / CHARACTERS_PER_TOKEN);

function inputTokens({ system, messages }: RequestBody): number {
  const texts = [...system.map(({ text }) => text), ...messages.map(({ content }) => content)];
  return tokens(texts.join('').length);
}

/** All system text up to and with the last cache mark. */
function cachedPrefix({ system }: RequestBody): string {
  const marked = system.findLastIndex(({ cache_control }) => cache_control !== undefined);
  return system
    .slice(0, marked + 1)
    .map(({ text }) => text)
    .join('\n');
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length, ...headers });
  response.end(bytes);
}

/** Refusals and nonsense repeat the request's headers wherever they can: none of it may be kept. */
function misbehave(fault: Fault, request: IncomingMessage, response: ServerResponse, answer: object): void {
  const echo = request.headersDistinct;
  const authorization = request.headers.authorization ?? '';
  const usage = (answer as { usage?: object }).usage;
  if (typeof fault === 'object') {
    const error = { type: 'error', error: { type: 'some_error', message: JSON.stringify(echo) } };
    send(response, fault.status, error, { 'retry-after': '0', 'x-echo': authorization });
  } else if (fault === 'no usage') {
    send(response, 200, { type: 'message', content: authorization });
  } else if (fault === 'negative usage') {
    send(response, 200, { ...answer, input_tokens: -1, usage: { ...usage, input_tokens: -1 } });
  } else if (fault === 'key in usage') {
    send(response, 200, { ...answer, usage: { ...usage, echo }, echo });
  } else if (fault === 'too long') {
    send(response, 200, { ...answer, more: 'x'.repeat(8_000_000) });
  } else {
    breakOff(fault, authorization, request, response);
  }
}

function breakOff(
  fault: Exclude<Fault, object>,
  authorization: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (fault === 'silence') return;
  if (fault === 'redirect') {
    response.writeHead(307, { location: request.url ?? '/' }).end();
  } else if (fault === 'no JSON') {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<html>${authorization}</html>`);
  } else if (fault === 'broken JSON') {
    response.writeHead(200, { 'content-type': 'application/json' }).end(`{"usage": ${authorization}`);
  } else if (fault === 'slow body') {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"id":');
  } else {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 10_000 });
    response.write('{"id":"msg_1",', () => response.destroy());
  }
}
