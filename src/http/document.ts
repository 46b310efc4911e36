import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { HttpContext } from './operations.ts';
import { isMatched } from './validators.ts';

/** In the order in which they are taken where a client likes them equally well. */
const CODINGS = ['br', 'gzip'] as const;
type Coding = (typeof CODINGS)[number];

/** Shorter ones fit a packet as they are. */
const MIN_COMPRESSED_BYTES = 1_024;
const MAX_GZIP_LEVEL = 9;

const QUICK_GZIP_LEVEL = 5;
const QUICK_BROTLI_QUALITY = 4;

const COMPRESS: { readonly [Name in Coding]: (bytes: Buffer, isQuick: boolean) => Promise<Buffer> } = {
  br: (bytes, isQuick) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        ...(isQuick ? { [constants.BROTLI_PARAM_QUALITY]: QUICK_BROTLI_QUALITY } : {}),
      },
    }),
  gzip: (bytes, isQuick) => promisify(gzip)(bytes, { level: isQuick ? QUICK_GZIP_LEVEL : MAX_GZIP_LEVEL }),
};

export interface DocumentOptions {
  readonly cacheControl?: string;
  /** Request headers by which it differs, beside that of its coding. */
  readonly vary?: string;
  /** Its text will be another soon: it is compressed less, in a fraction of the time. */
  readonly isBrief?: boolean;
}

/**
 * A text that stays the same as long as the process lives: it is answered with a strong `ETag`, 304 to who has it, and in
 * the content coding that its caller likes best. Each coding is made once, when it is first asked for.
 */
export class Document {
  readonly #bytes: Buffer;
  readonly #hash: string;
  readonly #codings: readonly Coding[];
  readonly #compressed = new Map<Coding, Promise<Buffer>>();
  readonly #options: DocumentOptions;
  /** Names of request headers. */
  readonly #differsBy: string;

  constructor(content: string | Buffer, options: DocumentOptions = {}) {
    this.#options = options;
    this.#bytes = typeof content === 'string' ? Buffer.from(content) : content;
    this.#hash = hash('sha256', this.#bytes, 'base64url').slice(0, 22);
    this.#codings = this.#bytes.length < MIN_COMPRESSED_BYTES ? [] : CODINGS;
    const names = [options.vary, this.#codings.length > 0 ? 'accept-encoding' : undefined];
    this.#differsBy = names.filter(Boolean).join(', ');
  }

  /** Answers a GET or a HEAD; the content type is set by the caller. */
  async answer(koa: HttpContext): Promise<void> {
    const coding = chooseCoding(koa.get('accept-encoding'), this.#codings);
    // Other bytes need another tag, and who has one coding may not be told that it has the other.
    const tag = coding === undefined ? `"${this.#hash}"` : `"${this.#hash}-${coding}"`;
    koa.set('etag', tag);
    koa.set('cache-control', this.#options.cacheControl ?? 'no-cache');
    if (this.#differsBy !== '') koa.set('vary', this.#differsBy);
    if (isMatched(tag, koa.req.headers['if-none-match'])) {
      koa.status = 304;
      return;
    }
    if (coding !== undefined) koa.set('content-encoding', coding);
    koa.body = coding === undefined ? this.#bytes : await this.#compress(coding);
  }

  #compress(coding: Coding): Promise<Buffer> {
    const made = this.#compressed.get(coding);
    if (made !== undefined) return made;
    const making = COMPRESS[coding](this.#bytes, this.#options.isBrief === true);
    making.catch(() => this.#compressed.delete(coding));
    this.#compressed.set(coding, making);
    return making;
  }
}

/**
 * The coding of the greatest weight in an `Accept-Encoding` (RFC 9110, 12.5.3); undefined for none: where that weighs more,
 * nothing was said, or nothing that was said is had here.
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
