import { hash } from 'node:crypto';
import { CODINGS, type Coding, chooseCoding, compress } from './compression.ts';
import type { HttpContext } from './operations.ts';
import { isMatched } from './validators.ts';

/** Shorter ones fit a packet as they are. */
const MIN_COMPRESSED_BYTES = 1_024;

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
    const making = compress(this.#bytes, coding, this.#options.isBrief === true ? 'quick' : 'small');
    making.catch(() => this.#compressed.delete(coding));
    this.#compressed.set(coding, making);
    return making;
  }
}
