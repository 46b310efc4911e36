import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type Router from '@koa/router';
import Koa from 'koa';
import type { Logger } from 'pino';
import { discoveryDocuments } from '../discovery/documents.ts';
import { CHAPTER_NAMES, chapters } from '../discovery/pages.ts';
import type { OtherRoute } from '../discovery/routes.ts';
import { McpServer } from '../mcp/server.ts';
import { notFound, Refusal } from '../operation/errors.ts';
import type { Operation } from '../operation/operation.ts';
import { refusalHeaders, refusalOf, type Services } from '../pipeline/execute.ts';
import { lazy } from '../platform/lazy.ts';
import type { Clock } from '../platform/postgres/clock.ts';
import { sql } from '../platform/postgres/postgres.ts';
import type { Span } from '../platform/tracing.ts';
import { withTimeout } from '../platform/withTimeout.ts';
import { areIdentifiers, newRequestId } from '../protocol/ids.ts';
import { listenFailure } from '../start/startFailure.ts';
import { findPage, findSitePath } from '../web/findPage.ts';
import type { Site } from '../web/site.ts';
import { blockFinder } from './blockFinder.ts';
import { answerBeforeBody, BoundedConnection } from './connectionBounds.ts';
import { answerPreflights, type IsOpenPath, isOpenRead, openPaths } from './crossOrigin.ts';
import { logRoutes } from './log.ts';
import { mcpDocuments, mcpRoutes } from './mcp.ts';
import { operationRoutes } from './operations.ts';
import { checkMessage, clientAddress, type HttpContext, isPlain, type RequestState, readTraceId } from './request.ts';
import { everyAnswerHeaders, JSON_CONTENT_TYPE, NOT_KEPT } from './response.ts';
import { answerRefusalPage, documentFinder, documentRoutes, siteRoutes, slashRedirects, wantsPage } from './site.ts';

/** Pages of the documentation. */
const DOCS = /^\/docs(?:\/|$)/;

/**
 * Called for every response. `operation` is absent if the request has none; `reason` is why a request was refused, and
 * `blocked` why its address is blocked.
 */
export type ObserveRequest = (response: {
  operation: string | undefined;
  status: number;
  seconds: number;
  reason?: string | undefined;
  blocked?: string | undefined;
}) => void;

export function createApp(
  services: Services,
  operations: readonly Operation[],
  log: Logger,
  site: Site,
  observe?: ObserveRequest,
): Koa<RequestState> {
  const app = new Koa<RequestState>();
  const { router, known, serve } = operationRoutes(services, operations);
  healthRoutes(router, services);
  logRoutes(router, services);
  const book = lazy(() => chapters(operations, services.config));
  const mcp = new McpServer(services, operations, { names: CHAPTER_NAMES, chapters: book });
  mcpRoutes({ serve }, services, mcp);
  const documents = [...discoveryDocuments(operations, services.config, book, findOther), ...mcpDocuments(mcp)];
  const findDocument = documentFinder(documents);
  const isOpenPath = openPaths(documents);

  app.use(logRequests(services, log, observe, isOpenPath, (path) => findOther(path)?.path ?? 'unmatched'));
  app.use(refusals(services, site, operationOf));
  if (services.config.blockList.length > 0) app.use(refuseBlocked(services));
  app.use(checkMessage);
  app.use(known);
  app.use(answerPreflights(isOpenPath));
  const isForPeople = (path: string) =>
    findPage(path) !== undefined || (DOCS.test(path) && findDocument(path) !== undefined);
  app.use(slashRedirects(isForPeople));
  app.use(siteRoutes(site, services));
  app.use(documentRoutes(documents, site));
  app.use(router.routes());
  app.use((koa) => {
    throw refusalOfUnmatched(koa);
  });
  // All else is caught above: the connection broke while an answer was written.
  app.on('error', (error: unknown) => log.debug({ err: error }, 'connection error'));
  return app;

  function layersOf({ path, method }: HttpContext) {
    const layers = router.match(path, method).path;
    return layers.filter((layer) => areIdentifiers(layer.params(path, layer.captures(path))));
  }

  /** The operation that a refused request was for, even if it was refused before routing. */
  function operationOf(koa: HttpContext, { token }: Refusal): Operation | undefined {
    if (koa.state.operation === undefined && token === 'not_found') return undefined;
    const name = koa.state.operation ?? layersOf(koa).find(({ methods }) => methods.includes(koa.method))?.name;
    return name === undefined ? undefined : services.operations.get(name);
  }

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
    const allow = [...new Set(layersOf(koa).flatMap(({ methods }) => methods))].toSorted((a, b) => a.localeCompare(b));
    return allow.length === 0 ? notFound() : new Refusal('method_not_allowed', { allow });
  }
}

/** Paths are logged as declared, because they may contain secrets (docs/operations#the-log). */
function logRequests(
  { clock, tracing, onBlocked }: Services,
  log: Logger,
  observe: ObserveRequest | undefined,
  isOpenPath: IsOpenPath,
  declaredPath: (path: string) => string,
): Koa.Middleware<RequestState> {
  return async (koa, next) => {
    const startedAt = performance.now();
    const requestId = newRequestId();
    koa.state.requestId = requestId;
    const { traceparent } = koa.req.headers;
    if (typeof traceparent === 'string') koa.state.traceId = readTraceId(traceparent);
    const span = tracing?.ofRequest(koa.state.traceId === undefined ? undefined : String(traceparent));
    koa.state.span = span;
    koa.state.traceId ??= span?.position.traceId;
    koa.set('x-request-id', requestId);
    const headers = everyAnswerHeaders(clock);
    koa.set(isOpenRead(koa, isOpenPath) ? headers.ofOpenRead : headers.ofAny);
    await next();
    const { operation, agentId, token, log: details, blocked } = koa.state;
    const ms = performance.now() - startedAt;
    observe?.({ operation, status: koa.status, seconds: ms / 1_000, reason: details?.reason, blocked });
    if (span) endSpan(span, koa, operation ?? declaredPath(koa.path));
    // A line for each of these requests would flood the log.
    if (blocked !== undefined) return onBlocked(blocked, requestId);
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

function endSpan(span: Span, { method, status }: HttpContext, route: string): void {
  span.rename(`${method} ${route}`);
  if (status >= 500) span.fail(undefined);
  span.end({ 'http.request.method': method, 'http.route': route, 'http.response.status_code': status });
}

/** Writes refusals. Any other error is a fault of the service or the database: a refusal without details. */
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
      if (wantsPage(koa) && koa.state.blocked === undefined) {
        await answerRefusalPage(koa, site, refusal.token);
      } else {
        koa.type = 'json';
        koa.body = JSON.stringify(refusal.body);
      }
      answerBeforeBody(koa);
    }
  };
}

/** Load balancers ask these paths from any address. */
const NEVER_BLOCKED = new Set(['/health', '/health/storage']);

/** Refuses every request of a blocked address (docs/operator#blocked-addresses). */
function refuseBlocked(services: Services): Koa.Middleware<RequestState> {
  const findBlock = blockFinder(services.config.blockList);
  return (koa, next) => {
    if (NEVER_BLOCKED.has(koa.path)) return next();
    const now = services.clock.now();
    const block = findBlock(clientAddress(koa, services), now);
    if (!block) return next();
    koa.state.blocked = block.reason;
    throw new Refusal('forbidden', { reason: 'blocked address', retryAfterSeconds: (block.untilMs - now) / 1_000 });
  };
}

const PROBE = sql('health.probe', 'SELECT 1');
const PROBE_TIMEOUT_MS = 2_000;

/** Storage is 503 too while the process drains, for load balancers (docs/access#documents-for-programs). */
function healthRoutes(router: Router<RequestState>, services: Services): void {
  router.get('/health', (koa) => {
    koa.body = { status: 'ok' };
  });
  router.get('/health/storage', async (koa) => {
    const answered = services.db.query(PROBE).then(
      () => true,
      () => false,
    );
    const available = !services.draining.aborted && (await withTimeout(answered, PROBE_TIMEOUT_MS, () => false));
    koa.status = available ? 200 : 503;
    koa.body = available ? { status: 'ok' } : { error: 'unavailable' };
    if (!available) koa.set('retry-after', '1');
  });
}

/** Limits of Node's HTTP server (docs/limits#connections). */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const MAX_HEADER_BYTES = 16_384;
/** Connections that the system accepts while the process is busy: a thousand clients that start together. */
const BACKLOG = 4_096;
const DRAIN_TIMEOUT_MS = 15_000;
const DRAIN_SWEEP_MS = 50;

export type ListeningServer = Awaited<ReturnType<typeof listen>>;

export async function listen<State>(app: Koa<State>, clock: Clock, { host, port }: { host: string; port: number }) {
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Node's own refusal has no body. The application sends one.
    requireHostHeader: false,
  });
  // Node would drop headers after the thousandth. Their bytes are bounded instead.
  server.maxHeadersCount = 0;
  // A client may end its side after the request and still gets the answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  const connections = new Map<Duplex, BoundedConnection>();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, new BoundedConnection(socket));
    socket.once('close', () => connections.delete(socket));
  });
  let isDraining = false;
  let handle = app.callback();
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    connections.get(request.socket)?.begin(response, isDraining, () => void handle(request, response));
  };
  server.on('request', serve);
  server.on('checkExpectation', serve);
  // `readBody` sends `100 Continue`; a refusal does not.
  server.on('checkContinue', serve);
  const refuse = (socket: Duplex) => connections.get(socket)?.refuse(refusalBytes(clock));
  server.on('connect', (_request, socket) => refuse(socket));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    error.code === 'ECONNRESET' ? socket.destroy() : refuse(socket),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenFailure(error, { host, port, setting: 'PORT' })));
    server.listen({ host, port, backlog: BACKLOG }, resolve);
  });
  const address = server.address() as AddressInfo;
  const shownHost = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return {
    url: `http://${shownHost}:${address.port}`,
    /** Passes further requests to another application. Requests in progress end in their own. */
    serve: (next: Koa<State>): void => {
      handle = next.callback();
    },
    /** Stops accepting, waits up to 15 s for requests under way, then closes all connections. */
    drain: (): Promise<void> => {
      isDraining = true;
      return drain(server, connections);
    },
  };
}

function refusalBytes(clock: Clock): string {
  const body = '{"error":"invalid_request"}';
  const headers = {
    ...everyAnswerHeaders(clock).ofAny,
    'content-type': JSON_CONTENT_TYPE,
    'content-length': String(body.length),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body}`;
}

async function drain(server: Server, connections: ReadonlyMap<Duplex, BoundedConnection>): Promise<void> {
  for (const connection of connections.values()) connection.drain();
  const closeIdle = () => {
    for (const connection of connections.values()) connection.closeIfIdle();
  };
  // `close` calls this method. Node's own would cut off an answer that the client has not taken yet.
  server.closeIdleConnections = closeIdle;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection that was busy when the server closed becomes idle later, and would stay open for a minute.
  const sweep = setInterval(closeIdle, DRAIN_SWEEP_MS);
  const timer = setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(timer);
}
