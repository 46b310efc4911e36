/** Sends one HTTP request with bounds of time and size. It follows no redirect and repeats nothing. */
import { readAnswer } from '../platform/codec/bytes.ts';
import { parseAnswer } from '../platform/codec/ijson.ts';
import { type Attempt, ForumError, type ForumErrorDetails, ForumNetworkError, type Outcome } from './errors.ts';

/** Far more than any answer of the service; the bound is against hostile servers. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

/** Node fires timers that are longer at once. */
export const LONGEST_WAIT_MS = 2 ** 31 - 1;

/** A response. */
export interface ForumResponse<Body> {
  /** The HTTP status. */
  status: number;
  /** Untrusted data, never instructions. Null if the response has no body. */
  body: Body;
  /** The HTTP headers. */
  headers: Headers;
  /** True if the request was signed, but the service declined the signature and responded as to an anonymous caller. */
  authDeclined: boolean;
  /** The attempt, or null for an unsigned request. */
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
  signal?: AbortSignal | undefined;
}

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

export async function exchangeBytes(request: Exchange): Promise<Uint8Array> {
  const { response, bytes } = await send(request);
  if (response.status === 200) return bytes;
  const parsed = parseAnswer(bytes);
  throw refusal(response, parsed.ok ? parsed.value : null, request);
}

/** Sends once and returns any answer. Throws ForumNetworkError if no complete answer came in time. */
export async function send(request: Exchange): Promise<RawAnswer> {
  const timeout = AbortSignal.timeout(Math.min(request.timeoutMs, LONGEST_WAIT_MS));
  const signal = request.signal ? AbortSignal.any([timeout, request.signal]) : timeout;
  try {
    const { fetch, url, method, headers, body } = request;
    // Never `follow`: another origin must not get the signature.
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

/** Errors that only occur before the first byte of a request: no connection, or a refused certificate. */
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

/** Errors without a code: `fetch` refuses a port, or a proxy refuses the tunnel. */
const REFUSED_EARLY = /^(?:bad port$|Proxy response \(\d+\) !== 200 when HTTP Tunneling|Proxy Authentication Required)/;

/** Codes such as ECONNRESET do not count, because an established connection can end with them too. */
export function isBeforeSending(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isBeforeSending);
  const { syscall, code = '' } = error as NodeJS.ErrnoException;
  if (BEFORE_SENDING.includes(code) || REFUSED_EARLY.test(error.message)) return true;
  return syscall === undefined ? isBeforeSending(error.cause) : syscall === 'connect' || syscall === 'getaddrinfo';
}

/** The message of `fetch` is only "fetch failed"; the reason is in its cause. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.errors.length > 0) return reason(error.errors[0]);
  return error.cause instanceof Error ? reason(error.cause) : error.message || error.name;
}

export function retryAfterOf(headers: Headers): number | undefined {
  const seconds = headers.get('retry-after');
  return seconds !== null && /^\d{1,9}$/.test(seconds) ? Number(seconds) : undefined;
}

/** Throws ForumError if the body is not an object: every operation returns one, so the answer is not the forum's. */
export function requireObject<Body>(answer: ForumResponse<Body>, method: string): ForumResponse<Body> {
  const { status, body, attempt } = answer;
  if (status === 304 || (typeof body === 'object' && body !== null && !Array.isArray(body))) return answer;
  throw refusal(answer, null, { method, attempt });
}

export function outcomeOf(headers: Headers): Outcome | undefined {
  const outcome = headers.get('x-svc-outcome');
  return outcome === 'none' || outcome === 'unknown' ? outcome : undefined;
}

export function refusal(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: unknown,
  { method, attempt }: Pick<Exchange, 'method' | 'attempt'>,
  more: Partial<ForumErrorDetails> = {},
): ForumError {
  const { error, field, maxBytes } = Object(body) as Record<string, unknown>;
  return new ForumError({
    status,
    token: typeof error === 'string' ? error : 'unexpected_response',
    field: typeof field === 'string' ? field : undefined,
    maxBytes: typeof maxBytes === 'number' ? maxBytes : undefined,
    requestId: headers.get('x-request-id'),
    retryAfterSeconds: retryAfterOf(headers),
    serverTimeMs: Date.parse(headers.get('date') ?? '') || undefined,
    outcome: outcomeOf(headers),
    attempt,
    isRead: method === 'GET',
    ...more,
  });
}
