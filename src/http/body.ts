import type { IncomingMessage, ServerResponse } from 'node:http';
import { MIMEType } from 'node:util';
import { invalid, Refusal, unavailable } from '../operation/errors.ts';
import { Gathered } from '../platform/codec/gathered.ts';
import { endAndDiscard } from './connectionBounds.ts';
import type { HttpContext } from './operations.ts';
import { UnfinishedBodies, type UnfinishedBody } from './unfinishedBodies.ts';

/** A body in more chunks than this must have `CHUNK_BYTES` a chunk (docs/limits#sizes), because each costs the parser over 1 µs. */
const MANY_CHUNKS = 4_096;
const CHUNK_BYTES = 128;

export const NO_BYTES = Buffer.alloc(0);
const UTF_8 = /^utf-?8$/i;

const UNFINISHED = new UnfinishedBodies();

/** Requests whose client waits for `100 Continue` before it sends the body. */
const awaitingContinue = new WeakMap<IncomingMessage, ServerResponse>();

/** Notes that a client sent `Expect: 100-continue`. `readBody` sends `100 Continue`; a refusal does not. */
export function expectsContinue(request: IncomingMessage, response: ServerResponse): void {
  awaitingContinue.set(request, response);
}

/**
 * Reads the exact bytes of a body, at most `maxBytes` (docs/limits#sizes, docs/formats#json-bodies). A larger body is `too_large`, by
 * its Content-Length if it has one. An encoded body, or one in thousands of tiny chunks, is `invalid_request`.
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const { headers } = request;
  if (headers['content-encoding'] !== undefined) throw invalid();
  const announced = headers['content-length'];
  if (announced === undefined && headers['transfer-encoding'] === undefined) return NO_BYTES;
  if (announced !== undefined && Number(announced) > maxBytes) throw tooLarge(maxBytes);
  awaitingContinue.get(request)?.writeContinue();
  // The parser reports head and body of one packet one after the other.
  await Promise.resolve();
  // Reading by events costs 4 µs more.
  if (announced !== undefined && request.complete) return (request.read() as Buffer | null) ?? NO_BYTES;
  return bytesOf(request, maxBytes);
}

/** Reads by events, because an async iterator costs 10 µs more. */
function bytesOf(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = new Gathered(maxBytes);
    const unfinished: UnfinishedBody = { bytes: 0, giveUp: () => refuse(unavailable('too many unfinished bodies')) };
    let chunks = 0;
    const take = (chunk: Buffer) => {
      chunks += 1;
      if (!body.add(chunk)) return refuse(tooLarge(maxBytes));
      if (chunks > MANY_CHUNKS + body.length / CHUNK_BYTES) return refuse(invalid());
      UNFINISHED.hold(unfinished, body.allocated);
    };
    const refuse = (refusal: Refusal) => {
      request.off('data', take).pause();
      fail(refusal);
    };
    const fail = (refusal: Refusal) => {
      UNFINISHED.release(unfinished);
      // The connection holds the request, and with it this closure, until the client stops sending.
      body.clear();
      reject(refusal);
    };
    // A client that disconnects gets no answer, and nothing is executed.
    const goneAway = () => fail(invalid());
    if (request.destroyed) return goneAway();
    request.on('data', take).once('error', goneAway).once('close', goneAway);
    request.once('end', () => {
      // Every request emits `close` later. A refusal made then would cost 15 µs for its stack.
      request.off('close', goneAway);
      UNFINISHED.release(unfinished);
      resolve(body.bytes());
    });
  });
}

/**
 * If the body of a refused request has not arrived completely, sends the answer and closes the connection: the rest of the body
 * would be read as the next request. Node resets a connection once its last answer ends, so this answer does not end
 * (docs/limits#connections).
 */
export function answerBeforeBody(koa: HttpContext): void {
  const { req, res } = koa;
  if (req.complete) return;
  koa.set('connection', 'close');
  // Nothing is sent after the head, so there is nothing to hold back.
  if (koa.method === 'HEAD') return;
  koa.respond = false;
  res.write(koa.body, () => endAndDiscard(req.socket));
}

/** True if a request announces a body. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
}

/** True for `application/json` in UTF-8 (docs/formats#json-bodies). Other and malformed parameters are ignored. */
export function isJsonType(contentType: string | undefined): boolean {
  if (contentType === undefined) return false;
  if (contentType === 'application/json') return true;
  try {
    const { essence, params } = new MIMEType(contentType);
    return essence === 'application/json' && UTF_8.test(params.get('charset') ?? 'utf-8');
  } catch {
    return false;
  }
}

const tooLarge = (maxBytes: number) => new Refusal('too_large', { maxBytes });
