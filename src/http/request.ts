/** Reads a request: its message, its body, and the input of its operation from path, query and body. */
import type { IncomingMessage } from 'node:http';
import { isIP, SocketAddress } from 'node:net';
import { MIMEType } from 'node:util';
import type Koa from 'koa';
import type { ParameterizedContext } from 'koa';
import { invalid, notFound, Refusal, unavailable } from '../operation/errors.ts';
import { type Operation, pathParameters } from '../operation/operation.ts';
import { propertiesOf } from '../operation/schemas.ts';
import { AUTH_HEADERS } from '../pipeline/authenticate.ts';
import type { RequestLog, Services } from '../pipeline/execute.ts';
import { BoundedBytes } from '../platform/codec/bytes.ts';
import { parseIJson } from '../platform/codec/ijson.ts';
import { isFieldName } from '../platform/codec/text.ts';
import type { Span } from '../platform/tracing.ts';

export interface RequestState {
  requestId: string;
  traceId?: string | undefined;
  /** Undefined for a request that is not traced. */
  span?: Span | undefined;
  /** The query as transmitted, without `?`. */
  rawQuery: string;
  operation?: string;
  agentId?: string | undefined;
  token?: string | undefined;
  log?: RequestLog;
  /** Why the address of the caller is blocked. */
  blocked?: string;
}

export type HttpContext = ParameterizedContext<RequestState>;

/** True if a request has any header of a signature, valid or not. */
export const isSigned = ({ req: { headers } }: HttpContext): boolean =>
  AUTH_HEADERS.some((name) => headers[name] !== undefined);

/** Characters of a path (docs/signing#what-is-strict). Other paths are `not_found`; none is normalised. */
const PLAIN_PATH = /^(?:\/[A-Za-z0-9._-]+)+\/?$|^\/$/;
const DOT_SEGMENT = /\/\.{1,2}(?:\/|$)/;

export const isPlain = (path: string): boolean => PLAIN_PATH.test(path) && !DOT_SEGMENT.test(path);

/** Refuses malformed messages (docs/limits#connections). Two hosts also close the connection: a proxy may differ. */
export const checkMessage: Koa.Middleware<RequestState> = (koa, next) => {
  const { httpVersion, rawHeaders, headers, url = '' } = koa.req;
  const hosts = rawHeaders.filter((name, n) => n % 2 === 0 && name.toLowerCase() === 'host').length;
  const isNew = httpVersion === '1.1';
  const isAddressed = isNew ? hosts === 1 : httpVersion === '1.0' && hosts <= 1;
  const isExpected = !isNew || headers.expect === undefined || headers.expect.toLowerCase() === '100-continue';
  if (!isAddressed || !isExpected) {
    koa.set('connection', 'close');
    throw invalid();
  }
  const mark = url.indexOf('?');
  if (url.includes('#') || !isPlain(mark === -1 ? url : url.slice(0, mark))) throw notFound();
  koa.state.rawQuery = mark === -1 ? '' : url.slice(mark + 1);
  const hasBody = Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
  if (hasBody && (koa.method === 'GET' || koa.method === 'HEAD')) throw invalid();
  return next();
};

const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0+-)([0-9a-f]{32})-(?!0+-)[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** The trace id of a W3C `traceparent` (docs/operations#the-log), or undefined for any other form. */
export function readTraceId(traceparent: string): string | undefined {
  const [, version, traceId, more] = TRACEPARENT.exec(traceparent) ?? [];
  // Only later versions may have more fields.
  return version === '00' && more !== undefined ? undefined : traceId;
}

/** The caller's address; behind a trusted proxy the last in `X-Forwarded-For`, if any (docs/operator#running-it). */
export function clientAddress(
  koa: HttpContext,
  { config, onUnreadableAddress }: Pick<Services, 'config' | 'onUnreadableAddress'>,
): string {
  const peer = koa.req.socket.remoteAddress ?? '';
  if (!config.trustProxy && isIP(peer) === 4) return peer;
  const forwarded = config.trustProxy ? koa.get('x-forwarded-for').split(',').at(-1)!.trim() : '';
  if (forwarded !== '') {
    const address = canonicalAddress(forwarded);
    if (address !== undefined) return address;
    onUnreadableAddress();
  }
  return canonicalAddress(peer) ?? peer;
}

/** An IP address as RFC 5952 writes it, without port and zone; mapped IPv4 as IPv4. Undefined for any other text. */
function canonicalAddress(text: string): string | undefined {
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1];
  const withoutPort = bracketed ?? text.replace(/^([\d.]+):\d{1,5}$/, '$1');
  const version = isIP(withoutPort);
  if (version === 0) return undefined;
  if (version === 4) return withoutPort;
  const { address } = new SocketAddress({ address: withoutPort.replace(/%.*$/, ''), family: 'ipv6' });
  return address.replace(/^::ffff:(?=[\d.]+$)/, '');
}

/** A body of more chunks needs `CHUNK_BYTES` a chunk (docs/limits#sizes): each costs the parser over 1 µs. */
const MANY_CHUNKS = 4_096;
const CHUNK_BYTES = 128;
/** The memory that a process holds for bodies which have not arrived completely (docs/limits#request-bodies). */
const MAX_UNFINISHED_BYTES = 67_108_864;

export const NO_BYTES = Buffer.alloc(0);

/** Reads the exact bytes of a body. Refuses encoded bodies and thousands of tiny chunks (docs/limits#sizes). */
export async function readBody({ req: request, res }: HttpContext, maxBytes: number): Promise<Buffer> {
  const { headers } = request;
  if (headers['content-encoding'] !== undefined) throw invalid();
  const announced = headers['content-length'];
  if (announced === undefined && headers['transfer-encoding'] === undefined) return NO_BYTES;
  if (announced !== undefined && Number(announced) > maxBytes) throw tooLarge(maxBytes);
  if (headers.expect !== undefined && request.httpVersion === '1.1') res.writeContinue();
  // The parser reports head and body of one packet one after the other.
  await Promise.resolve();
  // Reading by events costs 4 µs more.
  if (announced !== undefined && request.complete) return (request.read() as Buffer | null) ?? NO_BYTES;
  return bytesOf(request, maxBytes);
}

const tooLarge = (maxBytes: number) => new Refusal('too_large', { maxBytes });

/** Unfinished bodies in the order in which they began: what gives each of them up, and its memory in bytes. */
const unfinished = new Map<() => void, number>();
let unfinishedBytes = 0;

/** Records an unfinished body. Beyond the bound the oldest is given up, because active senders finish sooner. */
function hold(giveUp: () => void, bytes: number): void {
  unfinishedBytes += bytes - (unfinished.get(giveUp) ?? 0);
  unfinished.set(giveUp, bytes);
  for (const oldest of unfinished.keys()) {
    if (unfinishedBytes <= MAX_UNFINISHED_BYTES) return;
    oldest();
  }
}

function release(giveUp: () => void): void {
  unfinishedBytes -= unfinished.get(giveUp) ?? 0;
  unfinished.delete(giveUp);
}

/** Reads by events, because an async iterator costs 10 µs more. */
function bytesOf(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = new BoundedBytes(maxBytes);
    let chunks = 0;
    const take = (chunk: Buffer) => {
      chunks += 1;
      if (!body.add(chunk)) return refuse(tooLarge(maxBytes));
      if (chunks > MANY_CHUNKS + body.length / CHUNK_BYTES) return refuse(invalid());
      hold(giveUp, body.allocated);
    };
    const giveUp = () => refuse(unavailable('too many unfinished bodies'));
    const refuse = (refusal: Refusal) => {
      request.off('data', take).pause();
      fail(refusal);
    };
    const fail = (refusal: Refusal) => {
      release(giveUp);
      // The connection holds the request, and with it this closure, until the client stops sending.
      body.clear();
      reject(refusal);
    };
    const goneAway = () => fail(invalid());
    if (request.destroyed) return goneAway();
    request.on('data', take).once('error', goneAway).once('close', goneAway);
    request.once('end', () => {
      // Every request emits `close` later. A refusal made then would cost 15 µs for its stack.
      request.off('close', goneAway);
      release(giveUp);
      resolve(body.bytes);
    });
  });
}

const UTF_8 = /^utf-?8$/i;

/** True for `application/json` in UTF-8 (docs/formats#json-bodies). Other and malformed parameters are ignored. */
export function isJsonType(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  if (contentType === 'application/json') return true;
  try {
    const { essence, params } = new MIMEType(contentType);
    return essence === 'application/json' && UTF_8.test(params.get('charset') ?? 'utf-8');
  } catch {
    return false;
  }
}

/** A number in a query is a plain decimal integer (docs/formats#json-bodies). */
const PLAIN_INTEGER = /^(0|[1-9]\d{0,15})$/;
const EMPTY_OBJECT = Buffer.from('{}');

type InputShape = ReturnType<typeof inputShape>;

/** Computes the shape from the declaration: what is not in the path is the query of a GET and the body of a POST. */
export function inputShape(op: Operation) {
  const pathNames: string[] = pathParameters(op.path);
  const inQuery = op.method === 'GET' ? [...propertiesOf(op.input)].filter(([name]) => !pathNames.includes(name)) : [];
  return { pathNames, queryTypes: new Map(inQuery.map(([name, { type }]) => [name, type ?? 'any'])) };
}

export function fromQuery(shape: InputShape, path: Record<string, string>, query: [string, string][]): object {
  const input: Record<string, unknown> = { ...path };
  for (const [name, text] of query) {
    const type = shape.queryTypes.get(name);
    if (type === undefined || Object.hasOwn(input, name)) throw invalid(asField(name));
    input[name] = fromText(text, type);
  }
  return input;
}

/** An absent body and `{}` are the same, and neither needs a `Content-Type` (docs/formats#json-bodies). */
export function fromBody(
  shape: InputShape,
  path: Record<string, string>,
  query: [string, string][],
  body: Buffer,
  contentType: string | undefined,
): object {
  if (query.length > 0) throw invalid(asField(query[0]![0]));
  const isEmpty = body.length === 0 || (contentType === undefined && body.equals(EMPTY_OBJECT));
  if (isEmpty) return { ...path };
  if (contentType !== 'application/json' && !isJsonType(contentType)) throw invalid();
  const parsed = parseIJson(body);
  if (!parsed.ok) throw invalid(parsed.field);
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid();
  const inPath = shape.pathNames.find((name) => Object.hasOwn(value, name));
  if (inPath !== undefined) throw invalid(inPath);
  // Copying a large object would take longer than all that follows.
  return Object.assign(value, path);
}

const asField = (name: string): string | undefined => (isFieldName(name) ? name : undefined);

/** The JSON value of a query text. Any other text stays text, which the schema then refuses by name. */
function fromText(text: string, type: string): unknown {
  if (type === 'number' && PLAIN_INTEGER.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
