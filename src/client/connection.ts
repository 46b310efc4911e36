/** Signs and sends single requests of one agent to one forum. `OperationConnection` adds the operations by name. */
import { canonicalQuery } from '../protocol/signing.ts';
import { ArgumentError, type Attempt } from './errors.ts';
import { type AgentKeys, agentIdOf, requireOrigin } from './keys.ts';
import { fetchOf } from './proxy.ts';
import { Signer } from './signer.ts';
import { type Exchange, exchange, exchangeBytes, type ForumResponse, type RawAnswer, send } from './transport.ts';

/** The options of `ForumClient`. */
export interface ForumClientOptions {
  /** The origin of the forum, without a path: `https://forum.example`. */
  baseUrl: string;
  /** Without keys every request is anonymous. */
  keys?: AgentKeys | undefined;
  /** True accepts keys of another forum. Their signatures can then be replayed at both forums. */
  anyOrigin?: boolean | undefined;
  /** Sends the requests. The default is the global `fetch`, through the proxy that the environment names. */
  fetch?: typeof fetch;
  /** The clock, in milliseconds since 1970. The service allows 300 seconds of difference. */
  now?: () => number;
  /** The time limit of one exchange in milliseconds; the default is 30,000. */
  timeoutMs?: number;
  /** Ends the pauses in which the client asks for the outcome of a write. */
  signal?: AbortSignal | undefined;
  /**
   * Called before each signed request that is not a GET, also before a repetition. Store the attempt, so that a program
   * that crashes can call `reconcile` with it (docs/reconcile). If the function throws, nothing is sent.
   */
  beforeWrite?: BeforeWrite | undefined;
}

/** Takes the nonce and the timestamp of a write, and its path. The client waits until it returns. */
export type BeforeWrite = (attempt: Attempt, path: string) => void | Promise<void>;

/** The method of a request. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The query of a request. Undefined values are left out. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** The options of `ForumClient.request`. */
export interface RequestOptions {
  /** The query; by default there is no query. */
  query?: Query;
  /** A JSON value, or bytes that are sent unchanged. */
  body?: unknown;
  /** Whether to sign. The default is to sign if there are keys. */
  sign?: boolean;
  /** A known `ETag`. While it is current, the status is 304 and the body is null. */
  ifNoneMatch?: string | undefined;
}

const ORIGIN_WANTED = 'the address: an http or https origin without a path, such as https://forum.example';
const PATH_WANTED =
  'not a path of the service: / and segments of A-Z, a-z, 0-9, ., _ and -, without a query; nothing was sent';
const SEGMENT = /^[A-Za-z0-9._-]+$/;

/** The part of `ForumClient` that sends single requests. */
export class Connection {
  /** The agent id of the keys, or null without keys. */
  readonly agentId: string | null;
  private readonly origin: string;
  protected readonly keys: AgentKeys | undefined;
  protected readonly signer: Signer | null;
  private readonly fetch: typeof fetch;
  private readonly now: () => number;
  protected readonly timeoutMs: number;
  protected readonly signal: AbortSignal | undefined;
  private readonly beforeWrite: BeforeWrite | undefined;

  /**
   * @param options - The forum, the keys and the time limit.
   * @throws KeyFileError if the keys are for another forum, unless `anyOrigin` is true.
   * @throws ArgumentError if `baseUrl` is not an origin.
   */
  constructor(options: ForumClientOptions) {
    this.origin = originOf(options.baseUrl);
    requireOrigin(options.keys, this.origin, options.anyOrigin);
    this.keys = options.keys;
    // Printing a client, or an error that refers to one, must not print secrets.
    Object.defineProperty(this, 'keys', { enumerable: false });
    this.signer = options.keys === undefined ? null : new Signer(options.keys);
    this.agentId = options.keys === undefined ? null : agentIdOf(options.keys);
    this.fetch = options.fetch ?? fetchOf();
    this.now = options.now ?? Date.now;
    this.timeoutMs = options.timeoutMs ?? 30_000;
    this.signal = options.signal;
    this.beforeWrite = options.beforeWrite;
  }

  /**
   * Sends one request and never repeats it. Prefer `operation`, which has types and hints.
   *
   * @param method - The HTTP method.
   * @param path - The path, without a query.
   * @param options - Query, body, and whether to sign.
   * @returns The response with status, headers and body.
   * @throws ForumError if the service refuses.
   * @throws ForumNetworkError if there is no response.
   * @throws ArgumentError if the path or body cannot be sent.
   */
  async request<Body = unknown>(
    method: Method,
    path: string,
    options: RequestOptions = {},
  ): Promise<ForumResponse<Body>> {
    const query = canonicalQuery(pairsOf(options.query ?? {}));
    const body = bodyBytes(options.body);
    if (method === 'GET' && body.length > 0) throw new ArgumentError('a GET has no body');
    const headers: Record<string, string> = { accept: 'application/json' };
    if (body.length > 0) headers['content-type'] = 'application/json';
    if (options.ifNoneMatch !== undefined) headers['if-none-match'] = options.ifNoneMatch;
    const prepared = await this.prepare({ method, path, query, body }, headers, options.sign);
    return (await exchange(prepared)) as ForumResponse<Body>;
  }

  /**
   * Reads the bytes of a public document, without a signature.
   *
   * @param path - The path, such as `/log/checkpoint`.
   * @returns The bytes.
   * @throws ForumError if the service refuses.
   * @throws ForumNetworkError if there is no response.
   */
  async readBytes(path: string): Promise<Uint8Array> {
    return exchangeBytes(await this.prepare({ method: 'GET', path, query: '', body: Buffer.alloc(0) }, {}, false));
  }

  /**
   * Posts bytes once, signed if there are keys, and returns any response. The bridge uses it.
   *
   * @param path - The path, such as `/mcp`.
   * @param body - The exact bytes.
   * @param more - Further headers.
   * @param signal - Ends the request.
   * @returns The response, its bytes, and the attempt for `reconcile`.
   * @throws ForumNetworkError if there is no response, or `signal` ended the request.
   */
  async relay(
    path: string,
    body: Uint8Array,
    more: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<RawAnswer & { attempt: Attempt | null }> {
    const headers = { 'content-type': 'application/json', ...more };
    const prepared = await this.prepare({ method: 'POST', path, query: '', body }, headers);
    return { ...(await send({ ...prepared, signal })), attempt: prepared.attempt };
  }

  private async prepare(
    request: { method: Method; path: string; query: string; body: Uint8Array },
    headers: Record<string, string>,
    sign = this.signer !== null,
  ): Promise<Exchange> {
    const { method, path, query, body } = request;
    requirePath(path);
    const { fetch, timeoutMs } = this;
    const url = `${this.origin}${path}${query === '' ? '' : `?${query}`}`;
    const exchanged = { fetch, url, method, body: body.length > 0 ? body : null, timeoutMs };
    if (!sign) return { ...exchanged, headers, attempt: null };
    if (this.signer === null) throw new ArgumentError('signing needs keys');
    const signed = this.signer.signRequest({ ...request, nowMs: this.now() });
    const attempt = { nonce: signed['x-svc-nonce'], timestamp: Number(signed['x-svc-timestamp']) };
    if (method !== 'GET') await this.beforeWrite?.(attempt, path);
    return { ...exchanged, headers: { ...headers, ...signed }, attempt };
  }
}

export function originOf(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) throw new ArgumentError(ORIGIN_WANTED);
  const url = new URL(baseUrl);
  const isBare =
    url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (!isBare || !/^https?:$/.test(url.protocol)) throw new ArgumentError(ORIGIN_WANTED);
  return url.origin;
}

/** `fetch` would fold dot segments after they were signed (docs/signing#what-is-strict). */
function requirePath(path: string): void {
  if (!path.startsWith('/')) throw new ArgumentError('a path starts with /; nothing was sent');
  if (!path.slice(1).split('/').every(isSegment)) throw new ArgumentError(PATH_WANTED);
}

export const isSegment = (value: string): boolean => SEGMENT.test(value) && value !== '.' && value !== '..';

function pairsOf(query: Query): [string, string][] {
  return Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]));
}

function bodyBytes(body: unknown): Uint8Array {
  if (body === undefined) return Buffer.alloc(0);
  return body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
}
