import { createCipheriv, createHmac, timingSafeEqual } from 'node:crypto';

const TAG_BYTES = 16;

/** What a page continues from; feature-defined scalars, small. */
export type CursorPosition = Readonly<Record<string, string | number>>;

/** Opaque page cursors (docs/reading#cursors): a position and an HMAC over it, the route and every filter. */
export class Cursors {
  readonly #secret: string;
  readonly #key: Buffer;

  constructor(secret: string) {
    this.#secret = secret;
    this.#key = createHmac('sha256', secret).update('cursor-encryption').digest();
  }

  /** Makes the cursor that continues at `position` under `scope` (route and filters, any JSON). */
  seal(scope: unknown, position: CursorPosition): string {
    const content = Buffer.from(JSON.stringify(position));
    const tag = this.#tag(scope, content);
    return Buffer.concat([tag, this.#crypt(tag, content)]).toString('base64url');
  }

  /** Returns the position sealed in `cursor` under the same `scope`, or null when it was changed or is another's. */
  open(scope: unknown, cursor: string): CursorPosition | null {
    const bytes = Buffer.from(cursor, 'base64url');
    if (bytes.length <= TAG_BYTES || bytes.toString('base64url') !== cursor) return null;
    const tag = bytes.subarray(0, TAG_BYTES);
    const content = this.#crypt(tag, bytes.subarray(TAG_BYTES));
    if (!timingSafeEqual(tag, this.#tag(scope, content))) return null;
    return JSON.parse(content.toString('utf8')) as CursorPosition;
  }

  /** A keyed digest under the same secret, for what must be compared but not kept. */
  digest(purpose: string, text: string): string {
    return createHmac('sha256', this.#secret).update(`${purpose}\n${text}`).digest('base64url');
  }

  /** The tag is the initial counter. A position may contain what its reader must not know, such as hidden rows. */
  #crypt(tag: Buffer, content: Buffer): Buffer {
    const cipher = createCipheriv('aes-256-ctr', this.#key, tag);
    return Buffer.concat([cipher.update(content), cipher.final()]);
  }

  #tag(scope: unknown, content: Buffer): Buffer {
    const text = JSON.stringify(scope);
    const mac = createHmac('sha256', this.#secret).update(`${text.length}\n${text}`).update(content).digest();
    return mac.subarray(0, TAG_BYTES);
  }
}
