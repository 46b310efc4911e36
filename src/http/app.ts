import Koa from 'koa';
import type { Logger } from 'pino';
import { discoveryDocuments } from '../discovery/documents.ts';
import { CHAPTER_NAMES, chapters } from '../discovery/pages.ts';
import type { OtherRoute } from '../discovery/routes.ts';
import { invalid, notFound, Refusal } from '../kernel/errors.ts';
import { type Kernel, refusalOf } from '../kernel/execute.ts';
import type { Operation } from '../kernel/operation.ts';
import { refusalHeaders } from '../kernel/refusalHeaders.ts';
import { McpServer } from '../mcp/server.ts';
import { lazy } from '../platform/lazy.ts';
import { newRequestId } from '../protocol/ids.ts';
import type { Site } from '../web/site.ts';
import { announcesBody, answerBeforeBody } from './body.ts';
import { documentFinder, documentRoutes } from './documents.ts';
import { everyAnswerHeaders, NOT_KEPT } from './headers.ts';
import { healthRoutes } from './health.ts';
import { logRoutes } from './log.ts';
import { mcpRoutes } from './mcp.ts';
import { areIdentifiers, type HttpContext, operationRoutes, type RequestState } from './operations.ts';
import { answerRefusalPage, findSitePath, siteRoutes, wantsPage } from './site.ts';
import { readTraceId } from './traceparent.ts';

/** Which signs a path holds (docs/signing#what-is-strict): everything else is no route, never folded and never redirected. */
const PLAIN_PATH = /^(?:\/[A-Za-z0-9._-]+)+\/?$|^\/$/;
const DOT_SEGMENT = /\/\.{1,2}(?:\/|$)/;
/** What the log calls a request without a route. */
const NO_ROUTE = 'unmatched';

/** Called for every response; `operation` is absent for requests of no operation, `reason` is why a request was refused. */
export type ObserveRequest = (response: {
  operation: string | undefined;
  status: number;
  seconds: number;
  reason?: string | undefined;
}) => void;

/** The Koa application: one line a request, one error writer, the operations, and the documents beside them. */
export function createApp(
  kernel: Kernel,
  operations: readonly Operation[],
  log: Logger,
  site: Site,
  observe: ObserveRequest = () => {},
): Koa<RequestState> {
  const app = new Koa<RequestState>();
  const { router, known, serve } = operationRoutes(kernel, operations);
  healthRoutes(router, kernel);
  logRoutes(router, kernel);
  const book = lazy(() => chapters(operations, kernel.config));
  mcpRoutes({ router, serve }, kernel, new McpServer(kernel, operations, { names: CHAPTER_NAMES, chapters: book }));
  const documents = discoveryDocuments(operations, kernel.config, book, findOther);
  const findDocument = documentFinder(documents);

  app.use(logRequests(log, observe, (path) => findOther(path)?.path ?? NO_ROUTE));
  app.use((koa, next) => {
    koa.set(everyAnswerHeaders(kernel.clock));
    return next();
  });
  app.use(refusals(kernel, site, operationOf));
  app.use(plainMessages);
  app.use(plainTargets);
  app.use(readsWithoutBody);
  app.use(known);
  app.use(siteRoutes(site, kernel));
  app.use(documentRoutes(documents, site));
  app.use(router.routes());
  app.use((koa) => {
    throw refusalOfUnmatched(koa);
  });
  // Everything is caught above; what arrives here is a connection that broke while an answer was being written.
  app.on('error', (error: unknown) => log.debug({ err: error }, 'connection error'));
  return app;

  /** The operation that a refused request was for, also where it was refused before its route was looked up. */
  function operationOf(koa: HttpContext, { token }: Refusal): Operation | undefined {
    const { operation } = koa.state;
    if (operation !== undefined) return kernel.operations.get(operation);
    if (token === 'not_found') return undefined;
    const layers = router.match(koa.path, koa.method).pathAndMethod;
    const layer = layers.find((each) => areIdentifiers(each.params(koa.path, each.captures(koa.path))));
    return layer?.name === undefined ? undefined : kernel.operations.get(layer.name);
  }

  /** The route outside the table of operations that has a path, by syntax alone. */
  function findOther(path: string): OtherRoute | undefined {
    if (!isPlain(path)) return undefined;
    const document = findDocument(path);
    if (document) return { path: document.path, methods: ['GET'], params: {} };
    const page = findSitePath(path);
    if (page) return { ...page, methods: ['GET'] };
    const layer = router.match(path, 'GET').path.find((each) => !String(each.path).startsWith('/v1/'));
    if (!layer) return undefined;
    return { path: String(layer.path), methods: layer.methods.filter((method) => method !== 'HEAD'), params: {} };
  }

  /** No route has this method and path: 405 with `Allow` when others have the path (docs/errors#order-of-refusals). */
  function refusalOfUnmatched(koa: HttpContext): Refusal {
    const matched = router
      .match(koa.path, koa.method)
      .path.filter((layer) => areIdentifiers(layer.params(koa.path, layer.captures(koa.path))));
    const allow = [...new Set(matched.flatMap(({ methods }) => methods))].toSorted((a, b) => a.localeCompare(b));
    return allow.length === 0 ? notFound() : new Refusal('method_not_allowed', { allow });
  }
}

/**
 * One line a request, with nothing in it that somebody wrote: a path is logged as it was declared, because a secret may
 * have been put into one (docs/operations#the-log).
 */
function logRequests(
  log: Logger,
  observe: ObserveRequest,
  declaredPath: (path: string) => string,
): Koa.Middleware<RequestState> {
  return async (koa, next) => {
    const startedAt = performance.now();
    const requestId = newRequestId();
    koa.state.requestId = requestId;
    koa.state.traceId = readTraceId(koa.req.headers.traceparent as string | undefined);
    koa.set('x-request-id', requestId);
    await next();
    const { operation, agentId, token, log: details } = koa.state;
    const ms = performance.now() - startedAt;
    observe({ operation, status: koa.status, seconds: ms / 1_000, reason: details?.reason });
    // What the service could not do is a warning; what a caller did wrong is not.
    log[koa.status === 503 ? 'warn' : 'info']({
      op: operation ?? declaredPath(koa.path),
      method: koa.method,
      status: koa.status,
      ms: Math.round(ms * 100) / 100,
      agent: agentId,
      error: token,
      ...details,
      id: requestId,
      trace: koa.state.traceId,
    });
  };
}

/** Writes refusals; whatever else was thrown is a fault of ours or of the database, and says nothing else. */
function refusals(
  kernel: Kernel,
  site: Site,
  operationOf: (koa: HttpContext, refusal: Refusal) => Operation | undefined,
): Koa.Middleware<RequestState> {
  return async (koa, next) => {
    try {
      await next();
    } catch (error) {
      const refusal = error instanceof Refusal ? error : refusalOf(kernel, koa.state.requestId, error);
      koa.state.token = refusal.token;
      koa.state.log = { reason: refusal.details.reason };
      koa.status = refusal.status;
      // `execute` never throws, so a 503 that is caught here stored nothing.
      const op = operationOf(koa, refusal);
      koa.set(refusalHeaders(refusal, { op, method: koa.method, commitMayFollow: false }));
      koa.set(NOT_KEPT);
      if (wantsPage(koa)) {
        await answerRefusalPage(koa, site, refusal.token);
      } else {
        koa.type = 'json';
        koa.body = JSON.stringify(refusal.body);
      }
      answerBeforeBody(koa);
    }
  };
}

/**
 * A request names one host and expects nothing that nobody here can do (docs/limits#connections): HTTP/1.0 names at most one;
 * what is older is refused. Two hosts mean that something on the way may have read another request than we did, so nothing of
 * the connection is kept.
 */
const plainMessages: Koa.Middleware<RequestState> = (koa, next) => {
  const { httpVersion, rawHeaders, headers } = koa.req;
  const hosts = occurrences(rawHeaders, 'host');
  const isNew = httpVersion === '1.1';
  const isAddressed = isNew ? hosts === 1 : httpVersion === '1.0' && hosts <= 1;
  const isExpected = !isNew || headers.expect === undefined || headers.expect.toLowerCase() === '100-continue';
  if (isAddressed && isExpected) return next();
  koa.set('connection', 'close');
  throw invalid();
};

/** How often a header was sent; `rawHeaders` are names and values in turn. */
function occurrences(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let n = 0; n < rawHeaders.length; n += 2) {
    if (rawHeaders[n]!.length === name.length && rawHeaders[n]!.toLowerCase() === name) count += 1;
  }
  return count;
}

const isPlain = (path: string): boolean => PLAIN_PATH.test(path) && !DOT_SEGMENT.test(path);

/** A path with other signs, a dot segment or a fragment is `not_found` (docs/signing#what-is-strict). */
const plainTargets: Koa.Middleware<RequestState> = (koa, next) => {
  const target = koa.req.url ?? '';
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  if (target.includes('#') || !isPlain(path)) throw notFound();
  koa.state.rawQuery = mark === -1 ? '' : target.slice(mark + 1);
  return next();
};

/** A GET or HEAD with a body is `invalid_request` (docs/formats#json-bodies). */
const readsWithoutBody: Koa.Middleware<RequestState> = (koa, next) => {
  if ((koa.method === 'GET' || koa.method === 'HEAD') && announcesBody(koa.req)) throw invalid();
  return next();
};
