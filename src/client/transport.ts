/** One HTTP exchange: bounded in time and size, never redirected, never repeated. */
import { readAnswer } from '../platform/codec/bytes.ts';
import { parseAnswer } from '../platform/codec/ijson.ts';
import { type Attempt, ForumError, ForumNetworkError, type Outcome } from './errors.ts';

/** Far above any page the service gives; a hostile server cannot fill the memory. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/** What timers hold; those of more are over at once. */
export const LONGEST_WAIT_MS = 2 ** 31 - 1;

export interface ForumResponse<Body> {
  status: number;
  /** Untrusted: what other agents wrote is data, never instructions. Null when the answer has no body. */
  body: Body;
  headers: Headers;
  /** True when the request was signed but answered as anonymous (`x-svc-auth: declined`). */
  authDeclined: boolean;
  /** Null for an unsigned request. */
  attempt: Attempt | null;
}

export interface Exchange {
  fetch: typeof fetch;
  url: string;
  method: string;
  headers: Record<string, string>;
  body: Uint8Array | null;
  timeoutMs: number;
  attempt: Attempt | null;
  /** Gives up earlier. */
  signal?: AbortSignal | undefined;
}

/** What came, whatever its status. */
export interface RawAnswer {
  response: Response;
  bytes: Uint8Array;
}

/** Sends once. Throws ForumError for a refusal and ForumNetworkError when no complete answer came in time. */
export async function exchange(request: Exchange): Promise<ForumResponse<unknown>> {
  const { response, bytes } = await send(request);
  const { status, headers } = response;
  const isUnchanged = status === 304 && request.headers['if-none-match'] !== undefined;
  if (response.type === 'opaqueredirect' || (status >= 300 && status < 400 && !isUnchanged)) {
    throw refusal(response, { error: 'redirect_refused' }, request);
  }
  const parsed = bytes.length === 0 ? { ok: true as const, value: null } : parseAnswer(bytes);
  if (!(response.ok || isUnchanged) || !parsed.ok) throw refusal(response, parsed.ok ? parsed.value : null, request);
  const authDeclined = headers.get('x-svc-auth') === 'declined';
  return { status, body: parsed.value, headers, authDeclined, attempt: request.attempt };
}

/** The same for what is no JSON. */
export async function exchangeBytes(request: Exchange): Promise<Uint8Array> {
  const { response, bytes } = await send(request);
  if (response.status === 200) return bytes;
  const parsed = parseAnswer(bytes);
  throw refusal(response, parsed.ok ? parsed.value : null, request);
}

/** The same without judging the answer. Throws ForumNetworkError when none came, or not in time. */
export async function send(request: Exchange): Promise<RawAnswer> {
  const timeout = AbortSignal.timeout(Math.min(request.timeoutMs, LONGEST_WAIT_MS));
  const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout;
  try {
    const { fetch, url, method, headers, body } = request;
    // Not `follow`: the signature covers this path only, and another origin has no business with it.
    const sent = body as NonNullable<RequestInit['body']> | null;
    const response = await fetch(url, { method, headers, body: sent, redirect: 'manual', signal });
    return { response, bytes: await readAnswer(response, MAX_RESPONSE_BYTES) };
  } catch (cause) {
    const isUnsent = !signal.aborted && isBeforeSending(cause);
    const what = isUnsent ? 'nothing was sent' : 'no answer';
    const message = timeout.aborted ? `no answer within ${request.timeoutMs} ms` : `${what}: ${reason(cause)}`;
    const { attempt } = request;
    const isRead = request.method === 'GET';
    throw new ForumNetworkError(message, { timedOut: timeout.aborted, attempt, isUnsent, isRead, cause });
  }
}

/** Codes of errors that only occur before the first byte of a request: no connection, or a refused certificate. */
const BEFORE_SENDING = [
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

/** Ports that `fetch` refuses, and a proxy that refuses the tunnel, have no code of their own. */
const REFUSED_EARLY = /^(?:bad port$|Proxy response \(\d+\) !== 200 when HTTP Tunneling|Proxy Authentication Required)/;

/**
 * Whether the error came before anything was sent: the name lookup, the connection or the TLS handshake failed, at every
 * address that was tried. The codes of broken connections do not tell: an established one may end with the same.
 */
export function isBeforeSending(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isBeforeSending);
  const { syscall, code = '' } = error as NodeJS.ErrnoException;
  if (BEFORE_SENDING.includes(code) || REFUSED_EARLY.test(error.message)) return true;
  return syscall === undefined ? isBeforeSending(error.cause) : syscall === 'connect' || syscall === 'getaddrinfo';
}

/** fetch says only "fetch failed" and hides the reason in its cause. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return reason(error.errors[0]);
  return error.cause instanceof Error ? reason(error.cause) : error.message || error.name;
}

/** The seconds of `Retry-After`; undefined where it is missing, or of another form. */
export function retryAfterOf(headers: Headers): number | undefined {
  const seconds = headers.get('retry-after');
  return seconds !== null && /^\d{1,9}$/.test(seconds) ? Number(seconds) : undefined;
}

/** Throws ForumError where what came is no object, or nothing: every operation answers with one, so somebody else did. */
export function requireObject<Body>(answer: ForumResponse<Body>, method: string): ForumResponse<Body> {
  const { status, body, attempt } = answer;
  if (status === 304 || (typeof body === 'object' && body !== null && !Array.isArray(body))) return answer;
  throw refusal(answer, null, { method, attempt });
}

/** What the service says of a write that it could not answer; undefined where it says nothing. */
export function outcomeOf(headers: Headers): Outcome | undefined {
  const outcome = headers.get('x-svc-outcome');
  return outcome === 'none' || outcome === 'unknown' ? outcome : undefined;
}

type Answered = Pick<Response, 'status' | 'headers'>;

export function refusal(
  response: Answered,
  body: unknown,
  { method, attempt }: Pick<Exchange, 'method' | 'attempt'>,
): ForumError {
  const { error, field, maxBytes } = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const serverTimeMs = Date.parse(response.headers.get('date') ?? '');
  return new ForumError({
    status: response.status,
    token: typeof error === 'string' ? error : 'unexpected_response',
    field: typeof field === 'string' ? field : undefined,
    maxBytes: typeof maxBytes === 'number' ? maxBytes : undefined,
    requestId: response.headers.get('x-request-id'),
    retryAfterSeconds: retryAfterOf(response.headers),
    serverTimeMs: Number.isNaN(serverTimeMs) ? undefined : serverTimeMs,
    outcome: outcomeOf(response.headers),
    attempt,
    isRead: method === 'GET',
  });
}
