import { connect } from 'node:net';
import { scaleWait, WaitTimeout } from '../../support/waits.ts';

/** An HTTP answer as it came over the wire; header names in lower case. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export interface RawRequest {
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | Buffer;
  /** Sent unchanged, without a Content-Length of our own. */
  readonly chunked?: boolean;
  /** Of each chunk, in bytes. */
  readonly chunkBytes?: number;
}

const TIMEOUT_MS = 10_000;

/**
 * Sends exactly this request target with exactly these headers, which fetch would tidy up: dot segments, fragments,
 * headers sent twice, bodies with GET. The connection is closed after the answer.
 */
export async function rawRequest(
  baseUrl: string,
  method: string,
  target: string,
  { headers = [], body = '', chunked = false, chunkBytes = 16_384 }: RawRequest = {},
): Promise<RawAnswer> {
  const bytes = Buffer.from(body);
  const lines = [`${method} ${target} HTTP/1.1`, 'Host: forum.test', 'Connection: close'];
  for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  if (chunked) lines.push('Transfer-Encoding: chunked');
  else if (bytes.length > 0) lines.push(`Content-Length: ${bytes.length}`);
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return rawExchange(baseUrl, Buffer.concat([head, chunked ? inChunks(bytes, chunkBytes) : bytes]));
}

/** Sends bytes and reads the answer until the server closes the connection. */
export async function rawExchange(baseUrl: string, bytes: Buffer | string): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  const received: Buffer[] = [];
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(new WaitTimeout('no answer in time')), scaleWait(TIMEOUT_MS));
    socket.on('data', (chunk) => received.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      clearTimeout(timer);
      const answer = parseAnswer(Buffer.concat(received).toString('utf8'));
      if (answer) resolve(answer);
      else reject(new Error('the connection was closed without an answer'));
    });
    socket.write(bytes);
  });
}

function parseAnswer(text: string): RawAnswer | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { status: Number(statusLine.split(' ')[1]), headers: new Map(headers), body: text.slice(end + 4) };
}

function inChunks(bytes: Buffer, chunkBytes: number): Buffer {
  const parts: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    const chunk = bytes.subarray(start, start + chunkBytes);
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}
