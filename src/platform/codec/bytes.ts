const MIN_ALLOCATED_BYTES = 4_096;

/** Collects pieces in one growing buffer: each piece kept by itself would cost over a hundred bytes. */
export class BoundedBytes {
  readonly #maxBytes: number;
  #buffer: Buffer = Buffer.alloc(0);
  length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get allocated(): number {
    return this.#buffer.length;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.length);
  }

  /** Returns false, and adds nothing, if it would be too long. */
  add(piece: Uint8Array): boolean {
    const length = this.length + piece.length;
    if (length > this.#maxBytes) return false;
    if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.min(Math.max(2 * length, MIN_ALLOCATED_BYTES), this.#maxBytes));
      larger.set(this.bytes);
      this.#buffer = larger;
    }
    this.#buffer.set(piece, this.length);
    this.length = length;
    return true;
  }

  clear(): void {
    this.#buffer = Buffer.alloc(0);
    this.length = 0;
  }
}

/** Reads the body of a response until the signal of its request aborts. Throws `RangeError` beyond `maxBytes`. */
export async function readAnswer(response: Response, maxBytes: number): Promise<Buffer> {
  const body = new BoundedBytes(maxBytes);
  for await (const piece of response.body ?? []) {
    if (!body.add(piece)) throw new RangeError(`the answer exceeds ${maxBytes} bytes`);
  }
  return body.bytes;
}
