const LEAST_BYTES = 4_096;

/**
 * Bytes that come in pieces, at most `mostBytes` of them, in one buffer that grows: a piece that is kept costs a hundred
 * bytes and more, however small it is.
 */
export class Gathered {
  readonly #mostBytes: number;
  #buffer: Uint8Array = Buffer.alloc(0);
  #length = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get length(): number {
    return this.#length;
  }

  /** The bytes of memory behind it, at most twice its length. */
  get allocated(): number {
    return this.#buffer.length;
  }

  /** Releases the memory. */
  clear(): void {
    this.#buffer = Buffer.alloc(0);
    this.#length = 0;
  }

  /** False where that is too much: then nothing is added. */
  add(piece: Uint8Array): boolean {
    const length = this.#length + piece.length;
    if (length > this.#mostBytes) return false;
    if (this.#length === 0) this.#buffer = piece;
    else {
      if (length > this.#buffer.length) this.#grow(length);
      this.#buffer.set(piece, this.#length);
    }
    this.#length = length;
    return true;
  }

  #grow(length: number): void {
    const bytes = Buffer.allocUnsafe(Math.min(Math.max(2 * length, LEAST_BYTES), this.#mostBytes));
    bytes.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = bytes;
  }

  /** All of them; the one piece itself, where there was only one. */
  bytes(): Buffer {
    const { buffer, byteOffset } = this.#buffer;
    return Buffer.from(buffer, byteOffset, this.#length);
  }
}
