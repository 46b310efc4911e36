import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpContext } from './request.ts';

/** Bytes that Node's parser is given at a time. Node starts every request that it finds in them. */
const PARSED_BYTES = 2_048;
/** After these a client connects again (docs/limits#connections), so that connections spread over processes. */
const MAX_REQUESTS = 10_000;
/** A client that takes no byte of its answer for this long is disconnected (docs/limits#connections). */
const WRITE_TIMEOUT_MS = 10_000;
/** How long, and how much, is still read after the last answer of a connection (docs/limits#connections). */
const DISCARD_TIMEOUT_MS = 10_000;
const MAX_DISCARDED_BYTES = 33_554_432;
/** While the process stops: a client that was answered this recently may have sent its next request already. */
const DRAIN_GRACE_MS = 150;

/** Serves requests of one connection in turn, one a tick: Node would start all that a read contains, up to 3,600. */
export class BoundedConnection {
  readonly #socket: Socket;
  readonly #parse: (bytes: Buffer) => void;
  readonly #waiting: (() => void)[] = [];
  #latest: ServerResponse | undefined;
  #inFlight = 0;
  #requests = 0;
  #idleSinceMs = performance.now();
  /** What the socket still receives is discarded. */
  #isOver = false;
  #refusal: string | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    [this.#parse] = socket.listeners('data') as [(bytes: Buffer) => void];
    socket.removeAllListeners('data').on('data', (bytes: Buffer) => this.#receive(bytes));
    socket.on('drain', () => this.#resume());
    // Node removes its own listener when it gives a socket away (CONNECT). Without one, a reset would end the process.
    socket.on('error', () => {});
  }

  begin(response: ServerResponse, isDraining: boolean, serve: () => void): void {
    this.#isOver ||= closesConnection(this.#latest);
    if (this.#isOver) return;
    this.#requests += 1;
    // Node may misread what follows an `Upgrade` that it does not know.
    const isLast = isDraining || this.#requests >= MAX_REQUESTS || response.req.headers.upgrade !== undefined;
    if (isLast) response.setHeader('connection', 'close');
    response.setTimeout(WRITE_TIMEOUT_MS);
    response.on('timeout', () => this.#socket.writableLength > 0 && this.#socket.destroy());
    response.once('close', () => this.#finish());
    this.#latest = response;
    this.#inFlight += 1;
    if (this.#inFlight === 1) serve();
    else this.#waiting.push(serve);
  }

  refuse(answer: string): void {
    const isComplete = this.#latest?.req.complete !== false;
    if (isComplete && closesConnection(this.#latest)) return;
    this.#isOver = true;
    this.#refusal = answer;
    if (this.#inFlight === 0 || (this.#inFlight === 1 && !isComplete)) this.#sendRefusal(answer);
  }

  /** Marks the answer under way as the last one, so that the client does not send a request that is not served. */
  drain(): void {
    const latest = this.#latest;
    if (this.#inFlight > 0 && latest?.req.complete && !latest.headersSent) latest.setHeader('connection', 'close');
  }

  closeIfIdle(): void {
    if (this.#inFlight === 0 && performance.now() - this.#idleSinceMs > DRAIN_GRACE_MS) this.#socket.destroy();
  }

  #receive(bytes: Buffer): void {
    if (this.#isOver) return;
    if (this.#mustWait()) {
      this.#socket.pause();
      this.#socket.unshift(bytes);
      return;
    }
    const isShort = bytes.length <= PARSED_BYTES;
    this.#parse(isShort ? bytes : bytes.subarray(0, PARSED_BYTES));
    if (!isShort) this.#socket.unshift(bytes.subarray(PARSED_BYTES));
  }

  #mustWait(): boolean {
    return this.#waiting.length > 0 || this.#socket.writableNeedDrain;
  }

  #resume(): void {
    if (this.#socket.isPaused() && !this.#mustWait()) this.#socket.resume();
  }

  #finish(): void {
    this.#inFlight -= 1;
    this.#idleSinceMs = performance.now();
    if (this.#waiting.length > 0) setImmediate(() => this.#serveNext());
    else if (this.#inFlight === 0 && this.#refusal !== undefined) this.#sendRefusal(this.#refusal);
    else this.#resume();
  }

  #serveNext(): void {
    if (this.#socket.destroyed) return;
    this.#waiting.shift()?.();
    this.#resume();
  }

  #sendRefusal(answer: string): void {
    if (!this.#socket.writable) return void this.#socket.destroy();
    this.#socket.write(answer);
    endAndDiscard(this.#socket);
  }
}

const closesConnection = (response: ServerResponse | undefined): boolean =>
  response !== undefined && (!response.shouldKeepAlive || response.getHeader('connection') === 'close');

/** Ends our side, then discards up to 32 MB for 10 s: closing with unread bytes would reset a busy client. */
function endAndDiscard(socket: Socket): void {
  const lastByte = socket.bytesRead + MAX_DISCARDED_BYTES;
  const timer = setTimeout(() => socket.destroy(), DISCARD_TIMEOUT_MS);
  socket.once('close', () => clearTimeout(timer)).once('end', () => socket.destroy());
  socket.removeAllListeners('data').on('data', () => socket.bytesRead > lastByte && socket.destroy());
  socket.end();
  socket.resume();
}

/** Answers, then closes: the rest of the body would be read as the next request (docs/limits#connections). */
export function answerBeforeBody(koa: HttpContext): void {
  const { req, res } = koa;
  if (req.complete) return;
  koa.set('connection', 'close');
  // Nothing is sent after the head, so there is nothing to hold back.
  if (koa.method === 'HEAD') return;
  koa.respond = false;
  res.write(koa.body, () => endAndDiscard(req.socket));
}
