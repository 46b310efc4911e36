import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type Koa from 'koa';
import type { Clock } from '../platform/postgres/clock.ts';
import { listenFailure } from '../platform/startupError.ts';
import { BoundedConnection } from './connectionBounds.ts';
import { expectsContinue } from './request.ts';
import { everyAnswerHeaders, JSON_CONTENT_TYPE } from './response.ts';

/** Limits of Node's HTTP server (docs/limits#connections). */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const MAX_HEADER_BYTES = 16_384;
/** Connections that the services accepts while the process is busy: a thousand clients that start together fit. */
const BACKLOG = 4_096;
const DRAIN_TIMEOUT_MS = 15_000;
const DRAIN_SWEEP_MS = 50;

export type ListeningServer = Awaited<ReturnType<typeof listen>>;

/** Serves an application over HTTP with bounds on slow, greedy and oversized clients (docs/limits#connections). */
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
  const handle = app.callback();
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    connections.get(request.socket)?.begin(response, isDraining, () => void handle(request, response));
  };
  server.on('request', serve);
  server.on('checkExpectation', serve);
  server.on('checkContinue', (request, response) => {
    expectsContinue(request, response);
    serve(request, response);
  });
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
    /** Where it listens, `http://host:port`. */
    url: `http://${shownHost}:${address.port}`,
    /** Stops accepting, waits up to 15 s for requests under way, then closes all connections. */
    drain: (): Promise<void> => {
      isDraining = true;
      return drain(server, connections);
    },
  };
}

/** The answer to bytes that are not HTTP, or to a request that does not arrive in time. */
function refusalBytes(clock: Clock): string {
  const body = '{"error":"invalid_request"}';
  const headers = {
    ...everyAnswerHeaders(clock),
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
