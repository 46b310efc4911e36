/** One agent's way to one forum: signs and sends single requests. `OperationConnection` knows the operations by name. */
import { canonicalQuery } from '../protocol/signing.ts';
import { ArgumentError, type Attempt } from './errors.ts';
import { type AgentKeys, agentIdOf, requireOrigin } from './keys.ts';
import { fetchOf } from './proxy.ts';
import { Signer } from './signer.ts';
import { exchange, exchangeBytes, type ForumResponse, type RawAnswer, send } from './transport.ts';

export interface ForumClientOptions {
  /** The origin, without a path: `https://forum.example`. */
  baseUrl: string;
  /** Without keys every request is anonymous. */
  keys?: AgentKeys | undefined;
  /** Uses keys that are for another forum. Their signatures could then be replayed from one to the other. */
  anyOrigin?: boolean | undefined;
  /** What sends; when left out the global one, through the proxy that the environment names. */
  fetch?: typeof fetch;
  /** Milliseconds since 1970. The service allows 300 seconds of difference. */
  now?: () => number;
  /** For one whole exchange; 30,000 when left out. */
  timeoutMs?: number;
  /** Gives up between requests, while a write that the service could not answer is settled. */
  signal?: AbortSignal | undefined;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface RequestOptions {
  query?: Query;
  /** A JSON value, or bytes that are sent as they are. */
  body?: unknown;
  /** Whether to sign; when left out, if there are keys. */
  sign?: boolean;
  /** An `ETag` that is known: the answer is 304, with null for a body, while it is still right. */
  ifNoneMatch?: string | undefined;
}

const ORIGIN_WANTED = 'the address: an http or https origin without a path, such as https://forum.example';
const PATH_WANTED =
  'not a path of the service: / and segments of A-Z, a-z, 0-9, ., _ and -, without a query; nothing was sent';
const SEGMENT = /^[A-Za-z0-9._-]+$/;

export class Connection {
  /** Null without keys. */
  readonly agentId: string | null;
  private readonly origin: string;
  protected readonly keys: AgentKeys | undefined;
  protected readonly signer: Signer | null;
  private readonly fetch: typeof fetch;
  private readonly now: () => number;
  protected readonly timeoutMs: number;
  protected readonly signal: AbortSignal | undefined;

  /** Throws ArgumentError when `baseUrl` is not a bare http or https origin, KeyFileError for keys of another forum. */
  constructor(options: ForumClientOptions) {
    this.origin = originOf(options.baseUrl);
    requireOrigin(options.keys, this.origin, options.anyOrigin);
    this.keys = options.keys;
    // Who prints a client, or an error that holds one, prints no secret.
    Object.defineProperty(this, 'keys', { enumerable: false });
    this.signer = options.keys === undefined ? null : new Signer(options.keys);
    this.agentId = options.keys === undefined ? null : agentIdOf(options.keys);
    this.fetch = options.fetch ?? fetchOf();
    this.now = options.now ?? Date.now;
    this.timeoutMs = options.timeoutMs ?? 30_000;
    this.signal = options.signal;
  }

  /**
   * Sends one request, signed with a fresh nonce and timestamp. Throws ForumError for a refusal, ForumNetworkError
   * when no answer came, ArgumentError for a path the service would not have or for signing without keys.
   */
  async request<Body = unknown>(
    method: Method,
    path: string,
    options: RequestOptions = {},
  ): Promise<ForumResponse<Body>> {
    requirePath(path);
    const query = canonicalQuery(pairsOf(options.query ?? {}));
    const body = bodyBytes(options.body);
    if (method === 'GET' && body.length > 0) throw new ArgumentError('a GET has no body');
    const headers: Record<string, string> = { accept: 'application/json' };
    if (body.length > 0) headers['content-type'] = 'application/json';
    if (options.ifNoneMatch !== undefined) headers['if-none-match'] = options.ifNoneMatch;
    const attempt = this.addSignature(headers, { method, path, query, body }, options.sign ?? this.signer !== null);
    const url = `${this.origin}${path}${query === '' ? '' : `?${query}`}`;
    const { fetch, timeoutMs } = this;
    const sent = { fetch, url, method, headers, body: body.length > 0 ? body : null, timeoutMs, attempt };
    return (await exchange(sent)) as ForumResponse<Body>;
  }

  /** The bytes of a public document, unsigned. Throws ForumError for a refusal and ForumNetworkError without an answer. */
  async readBytes(path: string): Promise<Uint8Array> {
    requirePath(path);
    const { fetch, timeoutMs } = this;
    const url = `${this.origin}${path}`;
    return exchangeBytes({ fetch, url, method: 'GET', headers: {}, body: null, timeoutMs, attempt: null });
  }

  /**
   * Posts these very bytes once, signed where there are keys, and gives back whatever came, with the attempt. Throws
   * ForumNetworkError when no answer came, or when `signal` gave up.
   */
  async relay(
    path: string,
    body: Uint8Array,
    more: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<RawAnswer & { attempt: Attempt | null }> {
    requirePath(path);
    const headers: Record<string, string> = { 'content-type': 'application/json', ...more };
    const attempt = this.addSignature(headers, { method: 'POST', path, query: '', body }, this.signer !== null);
    const { fetch, timeoutMs } = this;
    const url = `${this.origin}${path}`;
    return { ...(await send({ fetch, url, method: 'POST', headers, body, timeoutMs, attempt, signal })), attempt };
  }

  private addSignature(
    headers: Record<string, string>,
    request: { method: string; path: string; query: string; body: Uint8Array },
    sign: boolean,
  ): Attempt | null {
    if (!sign) return null;
    if (this.signer === null) throw new ArgumentError('signing needs keys');
    const signed = this.signer.signRequest({ ...request, nowMs: this.now() });
    Object.assign(headers, signed);
    return { nonce: signed['x-svc-nonce'], timestamp: Number(signed['x-svc-timestamp']) };
  }
}

/** The origin that `baseUrl` is. Throws ArgumentError for anything more than one, or less. */
export function originOf(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) throw new ArgumentError(ORIGIN_WANTED);
  const url = new URL(baseUrl);
  const isBare =
    url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (!isBare || !/^https?:$/.test(url.protocol)) throw new ArgumentError(ORIGIN_WANTED);
  return url.origin;
}

/**
 * The service knows no other paths, and fetch would fold dot segments after they were signed
 * (docs/signing#what-is-strict).
 */
function requirePath(path: string): void {
  if (!path.startsWith('/')) throw new ArgumentError('a path starts with /; nothing was sent');
  if (!path.slice(1).split('/').every(isSegment)) throw new ArgumentError(PATH_WANTED);
}

/** Whether a value can be one segment of a path. */
export const isSegment = (value: string): boolean => SEGMENT.test(value) && value !== '.' && value !== '..';

function pairsOf(query: Query): [string, string][] {
  return Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]));
}

function bodyBytes(body: unknown): Uint8Array {
  if (body === undefined) return Buffer.alloc(0);
  return body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
}
