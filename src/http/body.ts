import type { IncomingMessage, ServerResponse } from 'node:http';
import { invalid, Refusal } from '../kernel/errors.ts';
import { Gathered } from '../platform/codec/gathered.ts';

/**
 * In how many chunks a body may come (docs/limits#sizes): each costs the parser a microsecond and more, of which nothing is
 * counted, so beyond so many they must be worth it.
 */
const MANY_CHUNKS = 4_096;
const CHUNK_BYTES = 128;

/** The bound of every request body, unless its operation names a smaller one (docs/limits#sizes). */
export const MAX_BODY_BYTES = 524_288;

export const NO_BYTES = Buffer.alloc(0);
/** The `Content-Type` of a body (docs/formats#json-bodies). */
const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** Requests that hold their body back until they are told to send it. */
const awaitingContinue = new WeakMap<IncomingMessage, ServerResponse>();

/** The client sent `Expect: 100-continue`: it is told to go on by who reads its body, and by nobody who refuses it. */
export function expectsContinue(request: IncomingMessage, response: ServerResponse): void {
  awaitingContinue.set(request, response);
}

/**
 * How a body is read, in which sizes and codings (docs/limits#sizes, docs/formats#json-bodies): the exact bytes, at most
 * `maxBytes`. `too_large` is decided from Content-Length where there is one, else while reading, and before anything looks at
 * the bytes. An encoded body, or one in thousands of tiny chunks, is `invalid_request`.
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const { headers } = request;
  if (headers['content-encoding'] !== undefined) throw invalid();
  const announced = headers['content-length'];
  if (announced === undefined && headers['transfer-encoding'] === undefined) return NO_BYTES;
  if (announced !== undefined && Number(announced) > maxBytes) throw tooLarge(maxBytes);
  awaitingContinue.get(request)?.writeContinue();
  // After this turn of the parser, which shows head and body one after the other.
  await Promise.resolve();
  // What came along with its head is at hand: to be told of it by events costs 4 µs more.
  if (announced !== undefined && request.complete) return (request.read() as Buffer | null) ?? NO_BYTES;
  return bytesOf(request, maxBytes);
}

/** By events: an iterator over the same costs 10 µs more. */
function bytesOf(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = new Gathered(maxBytes);
    let chunks = 0;
    const take = (chunk: Buffer) => {
      chunks += 1;
      const fits = body.add(chunk);
      if (fits && chunks <= MANY_CHUNKS + body.length / CHUNK_BYTES) return;
      // What is left is for the connection to throw away.
      request.off('data', take).pause();
      reject(fits ? invalid() : tooLarge(maxBytes));
    };
    // A client that went away in the middle gets no answer; nothing was done.
    const fail = () => reject(invalid());
    if (request.destroyed) return fail();
    request.on('data', take).once('error', fail).once('close', fail);
    request.once('end', () => {
      // Every request closes: to make a refusal then costs 15 µs, for its stack.
      request.off('close', fail);
      resolve(body.bytes());
    });
  });
}

/** True when a request announces a body, of whatever length. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
}

/** True for `application/json`, with or without `charset=utf-8`. */
export const isJsonType = (contentType: string | undefined): boolean => JSON_TYPE.test(contentType ?? '');

const tooLarge = (maxBytes: number) => new Refusal('too_large', { maxBytes });
