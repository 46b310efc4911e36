import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type Koa from 'koa';
import { listenFailure } from '../platform/cannotStart.ts';
import type { Clock } from '../platform/postgres/clock.ts';
import { expectsContinue } from './body.ts';
import { ClientConnection } from './connection.ts';
import { Entrance } from './entrance.ts';
import { everyAnswerHeaders } from './headers.ts';
import { Turns } from './turns.ts';

/**
 * How long the head of a request, the whole of it and an idle connection may take, and the size of a head
 * (docs/limits#connections).
 */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const MAX_HEADER_BYTES = 16_384;
/** Connections that the system accepts while the process is busy: a thousand clients that start together fit. */
const BACKLOG = 4_096;
const DRAIN_TIMEOUT_MS = 15_000;
const DRAIN_SWEEP_MS = 50;
/** Who was answered so lately may have sent the next request already, which is answered too, as the last one. */
const DRAIN_GRACE_MS = 150;

export interface ListeningServer {
  /** Where it listens, `http://host:port`. */
  readonly url: string;
  /** Stops accepting, lets requests under way finish (at most 15 s), then closes what is left. */
  drain(): Promise<void>;
}

/** Serves an application with bounds on slow, greedy and oversized clients (`ClientConnection`, docs/limits#connections). */
export async function listen<State>(
  app: Koa<State>,
  clock: Clock,
  { host, port }: { host: string; port: number },
): Promise<ListeningServer> {
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Node's own refusal has no body; the application refuses in its place.
    requireHostHeader: false,
  });
  // Node would leave out what comes after the thousandth; their bytes are bounded.
  server.maxHeadersCount = 0;
  const connections = ownConnections(server);
  const handle = app.callback();
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    // After such a request Node drops what came in the same read, and serves what came in the next one.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    const answered = (request.socket as Duplex as ClientConnection).begin(request, response);
    void handle(request, response).finally(answered);
  };
  server.on('request', serve);
  server.on('checkExpectation', serve);
  server.on('checkContinue', (request, response) => {
    expectsContinue(request, response);
    serve(request, response);
  });
  const refuse = (connection: Duplex) => (connection as ClientConnection).refuse(refusalBytes(clock));
  server.on('connect', (_request, connection) => refuse(connection));
  server.on('clientError', (error: NodeJS.ErrnoException, connection) =>
    error.code === 'ECONNRESET' ? connection.destroy() : refuse(connection),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenFailure(error, { host, port, setting: 'PORT' })));
    server.listen({ host, port, backlog: BACKLOG }, resolve);
  });
  const address = server.address() as AddressInfo;
  const shownHost = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return { url: `http://${shownHost}:${address.port}`, drain: () => drain(server, connections) };
}

/** Puts a `ClientConnection` between every socket and Node's HTTP; Node takes any duplex stream. Returns the open ones. */
function ownConnections(server: Server): ReadonlySet<ClientConnection> {
  const connections = new Set<ClientConnection>();
  const turns = new Turns();
  const entrance = new Entrance();
  const accept = server.listeners('connection') as ((connection: Duplex) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    entrance.come();
    const connection = new ClientConnection(socket, turns, entrance);
    connections.add(connection);
    connection.once('close', () => connections.delete(connection));
    for (const each of accept) each.call(server, connection);
  });
  return connections;
}

/** Bytes that are no HTTP, or that never became a request in time: the same error body as everywhere. */
function refusalBytes(clock: Clock): string {
  const body = '{"error":"invalid_request"}';
  const headers = {
    ...everyAnswerHeaders(clock),
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(body.length),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body}`;
}

async function drain(server: Server, connections: ReadonlySet<ClientConnection>): Promise<void> {
  for (const connection of connections) connection.drain();
  const closeIdle = () => {
    for (const connection of connections) if (connection.idleMs > DRAIN_GRACE_MS) connection.closeIdle();
  };
  // Node would cut off an answer that was written but not yet taken.
  server.closeIdleConnections = closeIdle;
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection that was busy when the server closed becomes idle later, and would be kept alive for a minute.
  const sweep = setInterval(closeIdle, DRAIN_SWEEP_MS);
  const timer = setTimeout(() => server.closeAllConnections(), DRAIN_TIMEOUT_MS);
  await closed;
  clearInterval(sweep);
  clearTimeout(timer);
}
