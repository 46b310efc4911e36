import Router, { type RouterMiddleware } from '@koa/router';
import type Koa from 'koa';
import type { ParameterizedContext } from 'koa';
import { LRUCache } from 'lru-cache';
import { headerFault, type SignatureHeaders } from '../kernel/authenticate.ts';
import { maxBodyBytesOf } from '../kernel/bodyBound.ts';
import { invalid, unauthorized } from '../kernel/errors.ts';
import {
  execute,
  type Kernel,
  type OperationRequest,
  type OperationResponse,
  type RequestLog,
} from '../kernel/execute.ts';
import { KeptInputs } from '../kernel/keptInputs.ts';
import { type Operation, pathParameters } from '../kernel/operation.ts';
import { IDENTIFIER_PATTERNS, type IdentifierName } from '../protocol/ids.ts';
import { canonicalQuery, parseQuery } from '../protocol/signing.ts';
import { NO_BYTES, readBody } from './body.ts';
import { clientAddress } from './clientAddress.ts';
import { isLarge, sendJson } from './compression.ts';
import { NOT_KEPT } from './headers.ts';
import { fromBody, fromQuery, inputShape } from './input.ts';
import { answerUnchanged } from './validators.ts';

/** What the middlewares of one request share. */
export interface RequestState {
  requestId: string;
  traceId?: string | undefined;
  /** The query as transmitted, without `?`. */
  rawQuery: string;
  operation?: string;
  agentId?: string | undefined;
  /** The error token that was answered. */
  token?: string | undefined;
  log?: RequestLog;
}

export type HttpContext = ParameterizedContext<RequestState>;

type Handler = (koa: HttpContext, params: Record<string, string>) => Promise<void>;

/** Serves a path that is no operation, but is asked for as often. */
export type ServePath = (method: 'POST', path: string, handler: (koa: HttpContext) => Promise<void>) => void;

/** How operations are found: the router knows them all; what is `known` is looked up first. */
export interface OperationRoutes {
  readonly router: Router<RequestState>;
  readonly known: Koa.Middleware<RequestState>;
  /** Found like an operation, before any pattern is tried. */
  readonly serve: ServePath;
}

interface Found {
  readonly handler: Handler;
  readonly params: Record<string, string>;
}

/** Paths that led to an operation lately; each is short, since what stands in it fits the pattern of an identifier. */
const MOST_FOUND = 4_096;

/**
 * One route an operation, each leading into `execute`. Paths are neither folded nor normalised. The router tries the
 * pattern of each route in turn, which costs 10 µs; an exact path needs no pattern, and one that was found is remembered.
 */
export function operationRoutes(kernel: Kernel, operations: readonly Operation[]): OperationRoutes {
  const router = new Router<RequestState>({ strict: true, sensitive: true });
  const inputs = new KeptInputs();
  const exact = new Map<string, Found>();
  const found = new LRUCache<string, Found>({ max: MOST_FOUND });
  for (const op of operations) {
    const handler = operationHandler(kernel, op, inputs);
    const names = pathParameters(op.path);
    if (names.length === 0) exact.set(`${op.method} ${op.path}`, { handler, params: {} });
    // A path whose parameters do not fit may still be another operation's: `/v1/posts/preview` is no post.
    const serveMatch: RouterMiddleware<RequestState> = (koa, next) => {
      const params = ownParameters(names, koa.params);
      if (!areIdentifiers(params)) return next();
      found.set(`${koa.method} ${koa.path}`, { handler, params });
      return handler(koa, params);
    };
    router.register(routerPath(op.path), [op.method], serveMatch, { name: op.name });
  }
  const known: Koa.Middleware<RequestState> = (koa, next) => {
    const target = `${koa.method} ${koa.path}`;
    const { handler, params } = exact.get(target) ?? found.get(target) ?? {};
    return handler ? handler(koa, params!) : next();
  };
  const serve: ServePath = (method, path, handler) => {
    exact.set(`${method} ${path}`, { handler, params: {} });
    router.register(path, [method], handler);
  };
  return { router, known, serve };
}

/** The router gathers the parameters of every route it tried. */
function ownParameters(names: readonly string[], params: Record<string, string>): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, params[name] ?? '']));
}

/**
 * True when every parameter fits the pattern it is named after; one that does not is no route
 * (docs/formats#json-bodies).
 */
export function areIdentifiers(params: Record<string, string>): boolean {
  // What stands for the rest of a path is no identifier.
  return Object.entries(params).every(
    ([name, value]) => IDENTIFIER_PATTERNS[name as IdentifierName]?.test(value) ?? true,
  );
}

/** `/v1/posts/{postId}` as the router writes it. */
const routerPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

function operationHandler(kernel: Kernel, op: Operation, inputs: KeptInputs): Handler {
  const shape = inputShape(op);
  const bodyOf = async (koa: HttpContext): Promise<Buffer> => {
    if (op.auth === 'signed' || op.auth === 'operator') await requireSignatureHeaders(koa, kernel);
    return readBody(koa.req, maxBodyBytesOf(op));
  };
  return async (koa, params) => {
    koa.state.operation = op.name;
    const body = op.method === 'GET' ? NO_BYTES : await bodyOf(koa);
    const query = parseQuery(koa.state.rawQuery);
    if (!query) throw invalid();
    const contentType = koa.req.headers['content-type'];
    const input = () =>
      op.method === 'GET' ? fromQuery(shape, params, query) : fromBody(shape, params, query, body, contentType);
    // All of it is told by path and query.
    const kept = op.method === 'GET' ? inputs.under(koa.req.url!) : undefined;
    await send(koa, await execute(kernel, op, operationRequest(koa, kernel, { body, query, input, kept })));
  };
}

/** Refuses a request whose headers cannot be those of a signed one, before its body is read (docs/errors#order-of-refusals). */
async function requireSignatureHeaders(koa: HttpContext, { clock }: Kernel): Promise<void> {
  const fault = headerFault(signatureHeaders(koa), clock.now());
  if (fault === undefined) return;
  // After this turn of the parser, which shows head and body one after the other: a request that is complete closes nothing.
  await Promise.resolve();
  throw unauthorized(fault);
}

function signatureHeaders(koa: HttpContext): SignatureHeaders {
  const { headers } = koa.req;
  return {
    agentId: headers['x-svc-agent-id'] as string | undefined,
    timestamp: headers['x-svc-timestamp'] as string | undefined,
    nonce: headers['x-svc-nonce'] as string | undefined,
    signature: headers['x-svc-signature'] as string | undefined,
  };
}

/** What `execute` is given of an HTTP request: the exact signed bytes, the four headers, and where the input is. */
export function operationRequest(
  koa: HttpContext,
  kernel: Kernel,
  { body, query, input, kept }: Pick<OperationRequest, 'input' | 'kept'> & { body: Buffer; query: [string, string][] },
): OperationRequest {
  const { headers } = koa.req;
  return {
    requestId: koa.state.requestId,
    traceId: koa.state.traceId,
    address: clientAddress(koa, kernel),
    asOf: secondOf(headers['x-svc-as-of'] as string | undefined),
    // Spread last: properties that follow a spread take V8 two microseconds each.
    credentials: { method: koa.method, path: koa.path, query: canonicalQuery(query), body, ...signatureHeaders(koa) },
    input,
    kept,
  };
}

/** The end of the second that a `Date` of an answer tells; of what cannot be read, never: then the primary answers. */
function secondOf(date: string | undefined): number | undefined {
  if (date === undefined) return undefined;
  const ms = Date.parse(date);
  return Number.isNaN(ms) ? Number.POSITIVE_INFINITY : ms + 1_000;
}

async function send(koa: HttpContext, response: OperationResponse): Promise<void> {
  const { status, text, copied, token, tag, headers, agentId, log } = response;
  koa.state.log = log;
  koa.state.agentId = agentId;
  koa.state.token = token;
  koa.set(headers);
  if (token !== undefined) koa.set(NOT_KEPT);
  if (tag !== undefined && answerUnchanged(koa, tag(), isLarge(text) ? 'accept-encoding' : undefined)) return;
  koa.status = status;
  await sendJson(koa, text, copied !== undefined);
}
