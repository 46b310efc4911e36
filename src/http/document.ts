import { hash } from 'node:crypto';
import { type Coding, compress, preferredCoding } from './compression.ts';
import type { HttpContext } from './operations.ts';
import { isMatched } from './validators.ts';

/** Shorter texts fit into one packet. */
const MIN_COMPRESSED_BYTES = 1_024;

export interface DocumentOptions {
  readonly cacheControl?: string;
  /** Request headers that select it, beside `Accept-Encoding`. */
  readonly vary?: string;
  /** The text changes soon, so it is compressed less, in a fraction of the time. */
  readonly isBrief?: boolean;
}

/** A text that does not change, sent with a strong `ETag` in the coding that the caller prefers. Each coding is made once, on demand. */
export class Document {
  readonly #bytes: Buffer;
  readonly #hash: string;
  readonly #isCompressible: boolean;
  readonly #compressed = new Map<Coding, Promise<Buffer>>();
  readonly #options: DocumentOptions;
  readonly #vary: string;

  constructor(content: string | Buffer, options: DocumentOptions = {}) {
    this.#options = options;
    this.#bytes = typeof content === 'string' ? Buffer.from(content) : content;
    this.#hash = hash('sha256', this.#bytes, 'base64url').slice(0, 22);
    this.#isCompressible = this.#bytes.length >= MIN_COMPRESSED_BYTES;
    const names = [options.vary, this.#isCompressible ? 'accept-encoding' : undefined];
    this.#vary = names.filter(Boolean).join(', ');
  }

  /** Answers a GET or a HEAD; the content type is set by the caller. */
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
    koa.body = coding === undefined ? this.#bytes : await this.#compress(coding);
  }

  #compress(coding: Coding): Promise<Buffer> {
    const made = this.#compressed.get(coding);
    if (made !== undefined) return made;
    const making = compress(this.#bytes, coding, this.#options.isBrief === true ? 'quick' : 'small');
    making.catch(() => this.#compressed.delete(coding));
    this.#compressed.set(coding, making);
    return making;
  }
}
