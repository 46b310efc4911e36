/** Writes responses: headers, validators (docs/reading#asking-again), and compressed bodies. */
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Clock } from '../platform/postgres/clock.ts';
import { OPEN_READ_HEADERS } from './crossOrigin.ts';
import { type HttpContext, isSigned } from './request.ts';

/** The full content type. To look one up by its short name costs 3 µs. */
export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/** Headers of refusals. A shared cache may send a stored 404 (RFC 9110, 15.1) to callers who may read the object. */
export const NOT_KEPT = { 'cache-control': 'no-store' } as const;

const headersAt = (second: number) => {
  const ofAny = { date: new Date(second * 1_000).toUTCString(), 'x-content-type-options': 'nosniff' };
  return { second, ofAny, ofOpenRead: { ...ofAny, ...OPEN_READ_HEADERS } };
};

let everyAnswer: ReturnType<typeof headersAt> | undefined;

/** `Date` is the service's time when the request began, so it is never later than the data (docs/operations#time). */
export function everyAnswerHeaders(clock: Clock) {
  const second = Math.floor(clock.now() / 1_000);
  if (second !== everyAnswer?.second) everyAnswer = headersAt(second);
  return everyAnswer;
}

const DIFFERS_BY = 'x-svc-agent-id, x-svc-signature';

/** Sets validators and caching. Returns true, with 304, if the caller has this answer. Credentials make it private. */
export function answerUnchanged(koa: HttpContext, tag: string, differsBy: string | undefined): boolean {
  const { headers } = koa.req;
  koa.set('etag', tag);
  koa.set('cache-control', isSigned(koa) ? 'private, no-cache' : 'public, no-cache');
  koa.set('vary', differsBy === undefined ? DIFFERS_BY : `${DIFFERS_BY}, ${differsBy}`);
  const isUnchanged = isMatched(tag, headers['if-none-match']);
  if (isUnchanged) koa.status = 304;
  return isUnchanged;
}

/** Compares weakly (RFC 9110, 13.1.2). Koa's `fresh` ignores tags when `fetch` adds `Cache-Control: no-cache`. */
function isMatched(tag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  const opaque = tag.slice(tag.indexOf('"'));
  return [...ifNoneMatch.matchAll(/"[^"]*"/g)].some(([each]) => each === opaque);
}

const CODINGS = ['br', 'gzip'] as const;
type Coding = (typeof CODINGS)[number];

/** `small` takes the fewest bytes, `quick` suits a text that changes soon, and `once` a single answer. */
type Effort = 'small' | 'quick' | 'once';
const GZIP_LEVELS: Readonly<Record<Effort, number>> = { small: 9, quick: 5, once: 1 };
const BROTLI_QUALITIES: Readonly<Record<Effort, number>> = { small: constants.BROTLI_MAX_QUALITY, quick: 4, once: 1 };

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

function compress(bytes: Buffer, coding: Coding, effort: Effort): Promise<Buffer> {
  if (coding === 'gzip') return gzipAsync(bytes, { level: GZIP_LEVELS[effort] });
  const params = {
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITIES[effort],
  };
  return brotliAsync(bytes, { params });
}

const MAX_PLAIN_BYTES = 8_192;
/** True if an answer may be compressed. A UTF-16 unit takes at most three bytes. */
export const isLarge = (json: string | Buffer): boolean =>
  3 * json.length > MAX_PLAIN_BYTES && Buffer.byteLength(json) > MAX_PLAIN_BYTES;

/** Answers for one caller each that are compressed at the same time. Further ones are sent uncompressed. */
const MAX_COMPRESSING = 16;
let compressing = 0;

function compressForOne(text: string, coding: Coding): Promise<Buffer> {
  compressing += 1;
  return compress(Buffer.from(text), coding, 'once').finally(() => {
    compressing -= 1;
  });
}

const shared = { br: new WeakMap<Buffer, Promise<Buffer>>(), gzip: new WeakMap<Buffer, Promise<Buffer>>() };

/** Compresses bytes that many answers share once, and keeps the result while the bytes are kept. */
function compressShared(bytes: Buffer, coding: Coding, effort: Effort = 'quick'): Promise<Buffer> {
  const earlier = shared[coding].get(bytes);
  if (earlier !== undefined) return earlier;
  const compressed = compress(bytes, coding, effort);
  shared[coding].set(bytes, compressed);
  compressed.catch(() => shared[coding].delete(bytes));
  return compressed;
}

/** Sends JSON: a text for one caller, or bytes that several answers share. */
export async function sendJson(koa: HttpContext, json: string | Buffer): Promise<void> {
  koa.set('content-type', JSON_CONTENT_TYPE);
  const coding = isLarge(json) ? codingOfLarge(koa) : undefined;
  if (coding === undefined || (typeof json === 'string' && compressing >= MAX_COMPRESSING)) {
    koa.body = json;
    return;
  }
  koa.set('content-encoding', coding);
  koa.body = await (typeof json === 'string' ? compressForOne(json, coding) : compressShared(json, coding));
}

function codingOfLarge(koa: HttpContext): Coding | undefined {
  koa.vary('accept-encoding');
  return preferredCoding(koa);
}

/** Sends JSON in pieces. Joining them would take a third of the CPU of a large tool call. */
export async function sendPieces(koa: HttpContext, pieces: readonly (string | Buffer)[]): Promise<void> {
  const length = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
  if (length > MAX_PLAIN_BYTES && codingOfLarge(koa) !== undefined) return sendJson(koa, pieces.join(''));
  koa.respond = false;
  koa.set({ 'content-type': JSON_CONTENT_TYPE, 'content-length': String(length) });
  koa.res.cork();
  for (const piece of pieces) koa.res.write(piece);
  koa.res.end();
  koa.res.uncork();
}

/** The coding that the caller prefers. Browsers name gzip first and give no weights: they get brotli. */
function preferredCoding(koa: HttpContext): Coding | undefined {
  if (koa.req.headers['accept-encoding'] === undefined) return undefined;
  const preferred = koa.acceptsEncodings(...CODINGS, 'identity');
  if (preferred === 'gzip' && !koa.get('accept-encoding').includes(';') && koa.acceptsEncodings('br')) return 'br';
  return CODINGS.find((coding) => coding === preferred);
}

/** Shorter texts fit into one packet. */
const MIN_COMPRESSED_BYTES = 1_024;

export interface DocumentOptions {
  readonly cacheControl?: string;
  readonly vary?: string;
  /** The text changes soon, so it is compressed less, in a fraction of the time. */
  readonly isBrief?: boolean;
  /** The content is compressed by itself, as pictures are. */
  readonly isCompressed?: boolean;
}

/** A text that does not change, sent with a strong `ETag` in the coding that the caller prefers. */
export class Document {
  readonly #bytes: Buffer;
  readonly #hash: string;
  readonly #isCompressible: boolean;
  readonly #options: DocumentOptions;
  readonly #vary: string;

  constructor(content: string | Buffer, options: DocumentOptions = {}) {
    this.#options = options;
    this.#bytes = typeof content === 'string' ? Buffer.from(content) : content;
    this.#hash = hash('sha256', this.#bytes, 'base64url').slice(0, 22);
    this.#isCompressible = options.isCompressed !== true && this.#bytes.length >= MIN_COMPRESSED_BYTES;
    const names = [options.vary, this.#isCompressible ? 'accept-encoding' : undefined];
    this.#vary = names.filter(Boolean).join(', ');
  }

  async answer(koa: HttpContext): Promise<void> {
    const coding = this.#isCompressible ? preferredCoding(koa) : undefined;
    // Each coding has other bytes, so it needs a tag of its own.
    const tag = coding === undefined ? `"${this.#hash}"` : `"${this.#hash}-${coding}"`;
    koa.set('etag', tag);
    koa.set('cache-control', this.#options.cacheControl ?? 'no-cache');
    if (this.#vary !== '') koa.set('vary', this.#vary);
    if (isMatched(tag, koa.req.headers['if-none-match'])) {
      koa.status = 304;
      return;
    }
    if (coding !== undefined) koa.set('content-encoding', coding);
    const effort = this.#options.isBrief === true ? 'quick' : 'small';
    koa.body = coding === undefined ? this.#bytes : await compressShared(this.#bytes, coding, effort);
  }
}
