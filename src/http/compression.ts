/** Compresses answers (docs/reading#asking-again): `sendJson` JSON above 8 KiB, `document.ts` documents and pages. */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { JSON_CONTENT_TYPE } from './headers.ts';
import type { HttpContext } from './operations.ts';

const CODINGS = ['br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/** `small` takes the fewest bytes, `quick` suits a text that changes soon, and `once` a single answer. */
type Effort = 'small' | 'quick' | 'once';
const GZIP_LEVELS: Readonly<Record<Effort, number>> = { small: 9, quick: 5, once: 1 };
const BROTLI_QUALITIES: Readonly<Record<Effort, number>> = { small: constants.BROTLI_MAX_QUALITY, quick: 4, once: 1 };

const brotliAsync = promisify(brotliCompress);
const gzipAsync = promisify(gzip);

export function compress(bytes: Buffer, coding: Coding, effort: Effort): Promise<Buffer> {
  if (coding === 'gzip') return gzipAsync(bytes, { level: GZIP_LEVELS[effort] });
  const params = {
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITIES[effort],
  };
  return brotliAsync(bytes, { params });
}

/** JSON of this size and less is not compressed. */
const MAX_PLAIN_BYTES = 8_192;
/** True if an answer may be compressed. A UTF-16 unit takes at most three bytes. */
export const isLarge = (json: string | Buffer): boolean =>
  3 * json.length > MAX_PLAIN_BYTES && Buffer.byteLength(json) > MAX_PLAIN_BYTES;

/** Answers for one caller each that may be compressed at the same time. Further ones are not compressed and do not wait. */
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

const shared = { br: new WeakMap<Buffer, Promise<Buffer>>(), gzip: new WeakMap<Buffer, Promise<Buffer>>() };

/** Bytes that many answers share are compressed once, and kept compressed while the bytes are kept. */
function compressShared(bytes: Buffer, coding: Coding): Promise<Buffer> {
  const earlier = shared[coding].get(bytes);
  if (earlier !== undefined) return earlier;
  const compressed = compress(bytes, coding, 'quick');
  shared[coding].set(bytes, compressed);
  compressed.catch(() => shared[coding].delete(bytes));
  return compressed;
}

/** Sends JSON, compressed if it is large and its caller accepts that. `isShared` bytes are sent in many answers. */
export async function sendJson(koa: HttpContext, json: string | Buffer, isShared = false): Promise<void> {
  koa.set('content-type', JSON_CONTENT_TYPE);
  const coding = codingOfJson(koa, json);
  if (coding === undefined || (!isShared && compressing >= MAX_COMPRESSING)) {
    koa.body = json;
    return;
  }
  koa.set('content-encoding', coding);
  koa.body =
    isShared && typeof json !== 'string'
      ? await compressShared(json, coding)
      : await compressForOne(Buffer.from(json), coding);
}

/** The coding of JSON for this caller. Undefined if it is small, or if the caller prefers or accepts only plain answers. */
export function codingOfJson(koa: HttpContext, json: string | Buffer): Coding | undefined {
  if (!isLarge(json)) return undefined;
  koa.vary('accept-encoding');
  return preferredCoding(koa);
}

/** The coding that the caller prefers. Browsers name gzip first and give no weights: they get brotli. */
export function preferredCoding(koa: HttpContext): Coding | undefined {
  const preferred = koa.acceptsEncodings(...CODINGS, 'identity');
  if (preferred === 'gzip' && !koa.get('accept-encoding').includes(';') && koa.acceptsEncodings('br')) return 'br';
  return CODINGS.find((coding) => coding === preferred);
}
