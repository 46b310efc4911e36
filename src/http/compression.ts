/**
 * Content codings: which one a caller gets, and how answers are compressed (docs/reading#asking-again). Documents and pages
 * compress themselves (`document.ts`). `sendJson` and `encodeAround` do so for JSON above 8 KiB.
 */
import { promisify } from 'node:util';
import { brotliCompress, constants, crc32, deflateRaw, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { JSON_CONTENT_TYPE } from './headers.ts';
import type { HttpContext } from './operations.ts';

/** In the order of preference where a client accepts them equally. */
export const CODINGS = ['br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/** What a text is compressed for: few bytes, little time because it changes soon, or one answer alone. */
type Effort = 'small' | 'quick' | 'once';
const GZIP_LEVELS: Readonly<Record<Effort, number>> = { small: 9, quick: 5, once: 1 };
const BROTLI_QUALITIES: Readonly<Record<Effort, number>> = { small: constants.BROTLI_MAX_QUALITY, quick: 4, once: 1 };

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);
const deflateRawAsync = promisify(deflateRaw);

export function compress(bytes: Buffer, coding: Coding, effort: Effort): Promise<Buffer> {
  if (coding === 'gzip') return gzipAsync(bytes, { level: GZIP_LEVELS[effort] });
  const params = {
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITIES[effort],
  };
  return brotliAsync(bytes, { params });
}

/** Work on bytes that many answers share, done once and kept as long as the bytes are. */
class OncePer<Key extends object> {
  readonly #made = new WeakMap<Key, Promise<Buffer>>();

  get(key: Key, make: () => Promise<Buffer>): Promise<Buffer> {
    const before = this.#made.get(key);
    if (before !== undefined) return before;
    const making = make();
    making.catch(() => this.#made.delete(key));
    this.#made.set(key, making);
    return making;
  }
}

/** JSON of this size and less is sent as it is. */
const MAX_PLAIN_BYTES = 8_192;
/** True where an answer may be compressed. A UTF-16 unit takes at most three bytes. */
export const isLarge = (json: string | Buffer): boolean =>
  3 * json.length > MAX_PLAIN_BYTES && Buffer.byteLength(json) > MAX_PLAIN_BYTES;

/** How many answers may be compressed for one caller each at a time; further ones are sent as they are and do not wait. */
const MAX_COMPRESSING = 16;
let compressing = 0;

async function compressForOne(bytes: Buffer, coding: Coding): Promise<Buffer> {
  compressing += 1;
  try {
    return await compress(bytes, coding, 'once');
  } finally {
    compressing -= 1;
  }
}

const shared = { br: new OncePer<Buffer>(), gzip: new OncePer<Buffer>() };
const deflated = new OncePer<Buffer>();

/**
 * Sends JSON, compressed where it is large and its caller accepts that. `isShared` bytes stand in many answers: they are
 * compressed once.
 */
export async function sendJson(koa: HttpContext, json: string | Buffer, isShared = false): Promise<void> {
  koa.set('content-type', JSON_CONTENT_TYPE);
  const coding = isLarge(json) ? negotiate(koa, CODINGS) : undefined;
  if (coding === undefined || (!isShared && compressing >= MAX_COMPRESSING)) {
    koa.body = json;
    return;
  }
  koa.set('content-encoding', coding);
  koa.body =
    isShared && typeof json !== 'string'
      ? await shared[coding].get(json, () => compress(json, coding, 'quick'))
      : await compressForOne(Buffer.from(json), coding);
}

/** The coding that the caller likes best; the answer says that it depends on that. */
function negotiate(koa: HttpContext, codings: readonly Coding[]): Coding | undefined {
  koa.vary('accept-encoding');
  return chooseCoding(koa.get('accept-encoding'), codings);
}

const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
const STORED_HEADER_BYTES = 5;
const MAX_STORED_BYTES = 65_535;

/**
 * Compresses an answer that begins with bytes of its own and ends with large bytes that many answers share; undefined where it
 * is sent as it is. A gzip stream may hold bytes uncompressed (RFC 1951, 3.2.4), so the shared bytes are compressed once.
 * Brotli cannot be put together like that: callers who accept nothing else have the answer compressed for themselves.
 */
export async function encodeAround(koa: HttpContext, before: string, members: Buffer): Promise<Buffer[] | undefined> {
  const coding = isLarge(members) ? negotiate(koa, ['gzip', 'br']) : undefined;
  if (coding === undefined) return undefined;
  const own = Buffer.from(before);
  if (coding === 'br' || own.length > MAX_STORED_BYTES) {
    if (compressing >= MAX_COMPRESSING) return undefined;
    koa.set('content-encoding', coding);
    return [await compressForOne(Buffer.concat([own, members]), coding)];
  }
  koa.set('content-encoding', coding);
  const stored = Buffer.alloc(STORED_HEADER_BYTES);
  stored.writeUInt16LE(own.length, 1);
  stored.writeUInt16LE(MAX_STORED_BYTES - own.length, 3);
  const end = Buffer.alloc(8);
  end.writeUInt32LE(crc32(members, crc32(own)), 0);
  end.writeUInt32LE(own.length + members.length, 4);
  const bytes = await deflated.get(members, () => deflateRawAsync(members, { level: GZIP_LEVELS.quick }));
  return [GZIP_HEADER, stored, own, bytes, end];
}

/**
 * The coding of the greatest weight in an `Accept-Encoding` (RFC 9110, 12.5.3). Undefined for none: where that weighs more,
 * nothing was said, or nothing that was said is available here.
 */
export function chooseCoding(accepted: string, codings: readonly Coding[]): Coding | undefined {
  const weights = readWeights(accepted);
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  let [best, bestWeight]: [Coding | undefined, number] = [undefined, weights.get('identity') ?? 0];
  for (const coding of codings) {
    const weight = weightOf(coding);
    // As it is it comes only to who likes that better.
    if (weight > bestWeight || (best === undefined && weight > 0 && weight === bestWeight)) {
      [best, bestWeight] = [coding, weight];
    }
  }
  return best;
}

/** Programs and browsers send one of a few all the time. */
const known = new LRUCache<string, ReadonlyMap<string, number>>({ max: 256 });
const MAX_KNOWN_LENGTH = 256;

/** Names in lower case with their weights from 0 to 1; what has none of the right form weighs nothing. */
export function readWeights(accepted: string): ReadonlyMap<string, number> {
  const before = known.get(accepted);
  if (before !== undefined) return before;
  const weights = new Map<string, number>();
  for (const item of accepted.split(',')) {
    const [, name, weight = '1'] = /^\s*([^\s;]+)\s*(?:;\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*)?$/i.exec(item) ?? [];
    if (name !== undefined) weights.set(name.toLowerCase(), Math.min(1, Number(weight)));
  }
  if (accepted.length <= MAX_KNOWN_LENGTH) known.set(accepted, weights);
  return weights;
}
