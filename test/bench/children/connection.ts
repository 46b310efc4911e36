import { connect, type Socket } from 'node:net';

const HEAD_END = Buffer.from('\r\n\r\n');
const CONTENT_LENGTH = /\r\ncontent-length: (\d+)/i;

/**
 * One keep-alive HTTP/1.1 connection with one request at a time. The client shares its cores with the server, so it
 * does only what the bench needs: answers must have a Content-Length, or be 304.
 */
export class Connection {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #expected = -1;
  #settle: { resolve(answer: Buffer): void; reject(error: Error): void } | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', (error) => this.#settle?.reject(error));
    socket.on('close', () => this.#settle?.reject(new Error('the server closed the connection')));
  }

  static async open(port: number, host: string): Promise<Connection> {
    const socket = connect({ port, host });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    return new Connection(socket);
  }

  /** Sends the bytes of a whole request and returns those of the whole answer. */
  exchange(request: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    if (this.#expected === -1) this.#expected = expectedLength(this.#received);
    if (this.#expected === -1 || this.#received.length < this.#expected) return;
    const answer = this.#received;
    const settle = this.#settle;
    this.#received = Buffer.alloc(0);
    this.#expected = -1;
    this.#settle = undefined;
    settle?.resolve(answer);
  }
}

/** Bytes of head and body, or -1 while the head is incomplete. */
function expectedLength(received: Buffer): number {
  const headEnd = received.indexOf(HEAD_END);
  if (headEnd === -1) return -1;
  if (statusOf(received) === 304) return headEnd + HEAD_END.length;
  const length = CONTENT_LENGTH.exec(received.toString('latin1', 0, headEnd))?.[1];
  if (length === undefined) throw new Error('an answer without Content-Length');
  return headEnd + HEAD_END.length + Number(length);
}

/** The status of an answer: the three digits after `HTTP/1.1 `. */
export const statusOf = (answer: Buffer): number => Number(answer.toString('latin1', 9, 12));
