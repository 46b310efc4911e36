import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Entrance } from './entrance.ts';
import type { Turns } from './turns.ts';

/** Requests of one connection that are answered at a time (docs/limits#connections); answers come in order anyway. */
const MAX_IN_FLIGHT = 4;
/** With more than this not taken by the client, nothing new is begun for it (docs/limits#connections). */
const MAX_UNSENT_BYTES = 65_536;
/**
 * After so many requests the client connects anew (docs/limits#connections), so that connections spread over processes and
 * hosts.
 */
const MAX_REQUESTS = 10_000;
/**
 * A client that takes no byte of its answer for as long is closed (docs/limits#connections); the socket looks twice, so at most
 * double.
 */
const WRITE_TIMEOUT_MS = 10_000;
/** How long, and how much, a refused request is read and thrown away (docs/limits#connections). */
const LINGER_TIMEOUT_MS = 10_000;
const MAX_DISCARDED_BYTES = 33_554_432;

const NOTHING = Buffer.alloc(0);
const HEAD_END = '\r\n\r\n';
const TAIL_LENGTH = HEAD_END.length - 1;

/**
 * What Node's HTTP server is given in place of a socket, so that one client costs a bounded amount of memory and time.
 * Node starts every request that it finds in one read, up to 3,600 in 64 KB. Here it sees one head at a time, and none
 * while `MAX_IN_FLIGHT` requests wait for their answers or the client does not take them: the rest stays unread. What
 * was sent ahead takes turns with what other connections sent ahead, a turn of the event loop each.
 *
 * It also closes so that the last answer arrives. A close with bytes unread is a reset, which takes the answer away from
 * a client that is still writing its body: first comes the end of our side, then at most 32 MB or 10 s are read and
 * thrown away, then the close.
 */
export class ClientConnection extends Duplex {
  readonly #socket: Socket;
  readonly #turns: Turns;
  readonly #entrance: Entrance;
  readonly #wake = (): void => this.#feedLater();
  /** Not in a later turn, which may take in the next newcomer before it: then nobody else would ever begin. */
  readonly #feedNow = (): void => this.#feed();
  /** Read, but not yet shown to the parser. */
  #held: Buffer = NOTHING;
  #latest: IncomingMessage | undefined;
  #latestResponse: ServerResponse | undefined;
  #bodyBytesLeft = 0;
  /** What was shown after a head, along with it. */
  #along: Buffer = NOTHING;
  #inFlight = 0;
  #requests = 0;
  #isLast = false;
  #isDraining = false;
  /** By the monotonic clock. */
  #idleSinceMs = performance.now();
  /** What the parser was shown last, as far as the end of a head may have begun there. */
  #tail = '';
  #isFeeding = false;
  #isWaiting = false;
  #isAhead = false;
  #isStalled = false;
  #clientEnded = false;
  #discardedBytes = 0;
  #idleTimeoutMs = 0;
  #refusal: string | undefined;
  #lingering: NodeJS.Timeout | undefined;

  constructor(socket: Socket, turns: Turns, entrance: Entrance) {
    super({ decodeStrings: false });
    this.#socket = socket;
    this.#turns = turns;
    this.#entrance = entrance;
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('end', () => this.#receiveEnd());
    socket.on('error', (error) => this.destroy(error));
    socket.on('close', () => this.destroy());
    socket.on('timeout', () => (this.#isStalled ? this.destroy() : this.emit('timeout')));
    // Node takes its own listener away where it gives a connection up (CONNECT); a reset must not end the process.
    this.on('error', () => {});
    // Not at once: Node may pause again when it hears of it.
    this.on('resume', () => this.#feedLater());
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  /** Nothing is under way; requests that were not looked at yet do not count. */
  get isIdle(): boolean {
    return this.#inFlight === 0 && this.#latest?.complete !== false;
  }

  /**
   * Counts a request until its answer was handed to the network; the last one that is served says so. What is returned is
   * called when the answer has been made.
   */
  begin(request: IncomingMessage, response: ServerResponse): () => void {
    this.#latest = request;
    this.#countBody(Number(request.headers['content-length'] ?? 0));
    this.#inFlight += 1;
    this.#requests += 1;
    this.#latestResponse = response;
    const isLast = this.#isDraining || this.#requests >= MAX_REQUESTS;
    if (isLast) response.setHeader('connection', 'close');
    this.#isLast = isLast || !response.shouldKeepAlive;
    response.once('close', () => this.#answered());
    if (!this.#isAhead) {
      this.#isAhead = true;
      return () => {};
    }
    this.#turns.take();
    return () => this.#turns.release();
  }

  /** Ends the connection with these bytes, which come after the answers of the requests before. */
  refuse(answer: string): void {
    if (!this.writable) return void this.destroy();
    // What stands behind the last request is nobody's.
    if (this.#isLast && this.#latest?.complete) return;
    this.#refusal = answer;
    this.#refuse(answer);
  }

  /**
   * The process stops: the next answer, or the one under way if its head is not sent, is the last and says so, so that nobody sends
   * another request and loses it.
   */
  drain(): void {
    this.#isDraining = true;
    const response = this.#inFlight > 0 ? this.#latestResponse : undefined;
    if (!response || response.headersSent || this.#latest?.complete === false) return;
    response.setHeader('connection', 'close');
    this.#isLast = true;
  }

  /** For how long nothing has been under way; 0 while something is. */
  get idleMs(): number {
    return this.isIdle ? performance.now() - this.#idleSinceMs : 0;
  }

  /** Ends an idle connection: at once, or in good order when there are requests that will not be answered. */
  closeIdle(): void {
    if (this.#held.length === 0 && !this.writableEnded) this.destroy();
    else this.end();
  }

  /** Node's time limits, for which the connection emits `timeout`. */
  setTimeout(ms: number): this {
    this.#idleTimeoutMs = ms;
    if (!this.#isStalled) this.#socket.setTimeout(ms);
    return this;
  }

  override _read(): void {
    this.#feedLater();
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, encoding, (error) => this.#written(error, done));
    this.#watchWrite();
  }

  override _writev(
    chunks: { chunk: Buffer | string; encoding: BufferEncoding }[],
    done: (error?: Error | null) => void,
  ): void {
    // Node ends each answer with an empty one; what is left is mostly one text, which goes out as it is.
    const full = chunks.filter(({ chunk }) => chunk.length > 0);
    const last = full.pop() ?? chunks[0]!;
    if (full.length > 0) this.#socket.cork();
    for (const { chunk, encoding } of full) this.#socket.write(chunk, encoding);
    this._write(last.chunk, last.encoding, done);
    if (full.length > 0) this.#socket.uncork();
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#held = NOTHING;
    this.#turns.leave(this.#wake);
    this.#entrance.leave(this.#feedNow);
    // What is read would put off the end of a client that takes nothing.
    this.#socket.pause();
    this.#socket.end(() => {
      done();
      if (this.#clientEnded) return void this.destroy();
      this.#lingering = setTimeout(() => this.destroy(), LINGER_TIMEOUT_MS).unref();
      this.#socket.resume();
    });
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#lingering);
    this.#turns.leave(this.#wake);
    this.#entrance.leave(this.#feedNow);
    this.#socket.destroy();
    done(error);
  }

  #answered(): void {
    this.#inFlight -= 1;
    this.#idleSinceMs = performance.now();
    if (this.#refusal !== undefined) this.#refuse(this.#refusal);
    else if (this.#held.length > 0) this.#feedLater();
    else this.#feed();
  }

  #receive(chunk: Buffer): void {
    if (this.writableEnded) {
      this.#discardedBytes += chunk.length;
      if (this.#discardedBytes > MAX_DISCARDED_BYTES) this.destroy();
      return;
    }
    // The first request after an answer was not sent ahead.
    if (this.#held.length === 0 && this.isIdle) this.#isAhead = false;
    this.#held = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#feed();
  }

  #receiveEnd(): void {
    this.#clientEnded = true;
    if (this.writableFinished) this.destroy();
    else this.#feed();
  }

  #feedLater(): void {
    if (this.#held.length === 0 || this.#isWaiting) return;
    this.#isWaiting = true;
    setImmediate(() => {
      this.#isWaiting = false;
      this.#feed();
      this.#turns.wakeNext();
    });
  }

  /** Shows the parser what it may see, and reads on when that was all. */
  #feed(): void {
    if (this.#isFeeding || this.writableEnded || this.destroyed) return;
    this.#isFeeding = true;
    while (this.#held.length > 0 && this.#mayFeed()) this.push(this.#take());
    this.#isFeeding = false;
    if (this.writableEnded) return;
    if (this.#held.length > 0) {
      this.#socket.pause();
    } else if (this.#clientEnded) {
      // Told earlier, Node would close before the answers; an unfinished request has none to wait for.
      if (!this.readableEnded && (this.isIdle || this.#latest?.complete === false)) this.push(null);
    } else if (this.#socket.isPaused()) {
      this.#socket.resume();
    }
  }

  #mayFeed(): boolean {
    if (this.destroyed || this.writableEnded || this.#refusal !== undefined) return false;
    if (this.readableFlowing !== true || this.readableLength > 0) return false;
    // A request that has begun is read to its end, whatever waits before it.
    if (this.#latest?.complete !== true) return true;
    if (this.#isLast || this.#inFlight >= MAX_IN_FLIGHT || this.writableLength > MAX_UNSENT_BYTES) return false;
    return this.#entrance.isFree(this.#feedNow) && (!this.#isAhead || this.#turns.isFree(this.#wake));
  }

  /**
   * Up to the end of a head, or of the body whose length it told: so no more than one request is found at a time. With a head goes
   * all that follows it, where no other ends in that: to show a body by itself costs the parser a microsecond and more.
   */
  #take(): Buffer {
    let length = Math.min(this.#bodyBytesLeft, this.#held.length);
    this.#bodyBytesLeft -= length;
    if (length === 0) {
      const end = this.#headEnd();
      const isAlone = end === undefined || this.#held.indexOf(HEAD_END, end) === -1;
      length = isAlone ? this.#held.length : end;
      this.#along = this.#held.subarray(end ?? length, length);
      this.#tail = end === undefined ? tailOf(this.#tail, this.#held) : tailOf('', this.#along);
    }
    const taken = this.#held.subarray(0, length);
    this.#held = this.#held.subarray(length);
    return taken;
  }

  /** Of a body of as many bytes, what went along with its head was shown; what came behind it belongs to the next head. */
  #countBody(bytes: number): void {
    this.#bodyBytesLeft = Math.max(0, bytes - this.#along.length);
    this.#tail = tailOf('', this.#along.subarray(bytes));
    this.#along = NOTHING;
  }

  /** Where the first head ends in what is held, be it that its end began in what was taken before. */
  #headEnd(): number | undefined {
    const inTwo = (this.#tail + this.#held.toString('latin1', 0, TAIL_LENGTH)).indexOf(HEAD_END);
    if (inTwo !== -1) return inTwo + HEAD_END.length - this.#tail.length;
    const end = this.#held.indexOf(HEAD_END);
    return end === -1 ? undefined : end + HEAD_END.length;
  }

  #refuse(answer: string): void {
    const isCutShort = this.#latest?.complete === false;
    if (this.#inFlight <= (isCutShort ? 1 : 0)) this.end(answer);
  }

  #watchWrite(): void {
    if (this.#isStalled || this.#socket.writableLength === 0) return;
    this.#isStalled = true;
    this.#socket.setTimeout(WRITE_TIMEOUT_MS);
  }

  #written(error: Error | null | undefined, done: (error?: Error | null) => void): void {
    if (this.#isStalled && this.#socket.writableLength === 0) {
      this.#isStalled = false;
      this.#socket.setTimeout(this.#idleTimeoutMs);
    }
    done(error);
    this.#feedLater();
  }
}

const tailOf = (tail: string, shown: Buffer): string =>
  (tail + shown.subarray(-TAIL_LENGTH).toString('latin1')).slice(-TAIL_LENGTH);
