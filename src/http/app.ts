import Koa from 'koa';
import type { Logger } from 'pino';
import { discoveryDocuments } from '../discovery/documents.ts';
import { CHAPTER_NAMES, chapters } from '../discovery/pages.ts';
import type { OtherRoute } from '../discovery/routes.ts';
import { McpServer } from '../mcp/server.ts';
import { notFound, Refusal } from '../operation/errors.ts';
import type { Operation } from '../operation/operation.ts';
import { refusalOf, type Services } from '../pipeline/execute.ts';
import { refusalHeaders } from '../pipeline/refusalHeaders.ts';
import { lazy } from '../platform/lazy.ts';
import { newRequestId } from '../protocol/ids.ts';
import type { Site } from '../web/site.ts';
import { answerBeforeBody } from './connectionBounds.ts';
import { documentFinder, documentRoutes } from './documents.ts';
import { healthRoutes } from './health.ts';
import { logRoutes } from './log.ts';
import { mcpRoutes } from './mcp.ts';
import { areIdentifiers, operationRoutes } from './operations.ts';
import { checkMessage, type HttpContext, isPlain, type RequestState, readTraceId } from './request.ts';
import { everyAnswerHeaders, NOT_KEPT } from './response.ts';
import { answerRefusalPage, findSitePath, siteRoutes, wantsPage } from './site.ts';

/** The name of a request without a route in the log. */
const NO_ROUTE = 'unmatched';

/** Called for every response. `operation` is absent if the request has none; `reason` is why a request was refused. */
export type ObserveRequest = (response: {
  operation: string | undefined;
  status: number;
  seconds: number;
  reason?: string | undefined;
}) => void;

/** Builds the Koa application: the request log, the writer of refusals, the operations, and the documents and pages beside them. */
export function createApp(
  services: Services,
  operations: readonly Operation[],
  log: Logger,
  site: Site,
  observe: ObserveRequest = () => {},
): Koa<RequestState> {
  const app = new Koa<RequestState>();
  const { router, known, serve } = operationRoutes(services, operations);
  healthRoutes(router, services);
  logRoutes(router, services);
  const book = lazy(() => chapters(operations, services.config));
  mcpRoutes({ router, serve }, services, new McpServer(services, operations, { names: CHAPTER_NAMES, chapters: book }));
  const documents = discoveryDocuments(operations, services.config, book, findOther);
  const findDocument = documentFinder(documents);

  app.use(logRequests(services, log, observe, (path) => findOther(path)?.path ?? NO_ROUTE));
  app.use(refusals(services, site, operationOf));
  app.use(checkMessage);
  app.use(known);
  app.use(siteRoutes(site, services));
  app.use(documentRoutes(documents, site));
  app.use(router.routes());
  app.use((koa) => {
    throw refusalOfUnmatched(koa);
  });
  // All else is caught above: the connection broke while an answer was written.
  app.on('error', (error: unknown) => log.debug({ err: error }, 'connection error'));
  return app;

  /** The operation that a refused request was for, even if it was refused before routing. */
  function operationOf(koa: HttpContext, { token }: Refusal): Operation | undefined {
    const { operation } = koa.state;
    if (operation !== undefined) return services.operations.get(operation);
    if (token === 'not_found') return undefined;
    const layers = router.match(koa.path, koa.method).pathAndMethod;
    const layer = layers.find((each) => areIdentifiers(each.params(koa.path, each.captures(koa.path))));
    return layer?.name === undefined ? undefined : services.operations.get(layer.name);
  }

  /** The route of a path that is not an operation, by syntax alone. */
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

  /** 404, or 405 with `Allow` if the path has routes for other methods (docs/errors#order-of-refusals). */
  function refusalOfUnmatched(koa: HttpContext): Refusal {
    const matched = router
      .match(koa.path, koa.method)
      .path.filter((layer) => areIdentifiers(layer.params(koa.path, layer.captures(koa.path))));
    const allow = [...new Set(matched.flatMap(({ methods }) => methods))].toSorted((a, b) => a.localeCompare(b));
    return allow.length === 0 ? notFound() : new Refusal('method_not_allowed', { allow });
  }
}

/**
 * Logs one line for each request, without anything that a client wrote. A path is logged as declared, because it may contain a
 * secret (docs/operations#the-log).
 */
function logRequests(
  { clock }: Services,
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
    koa.set(everyAnswerHeaders(clock));
    await next();
    const { operation, agentId, token, log: details } = koa.state;
    const ms = performance.now() - startedAt;
    observe({ operation, status: koa.status, seconds: ms / 1_000, reason: details?.reason });
    // The service could not do it: a warning. Mistakes of callers are not.
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

/** Writes refusals. Any other error is a fault of the service or the database, and becomes a refusal without details. */
function refusals(
  services: Services,
  site: Site,
  operationOf: (koa: HttpContext, refusal: Refusal) => Operation | undefined,
): Koa.Middleware<RequestState> {
  return async (koa, next) => {
    try {
      await next();
    } catch (error) {
      const refusal = error instanceof Refusal ? error : refusalOf(services, koa.state.requestId, error);
      koa.state.token = refusal.token;
      koa.state.log = { reason: refusal.details.reason };
      koa.status = refusal.status;
      // `execute` does not throw, so a 503 that is caught here stored nothing.
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
