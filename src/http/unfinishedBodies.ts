/** The bytes that a process holds of bodies which have not arrived completely (docs/limits#request-bodies). */
const MAX_UNFINISHED_BYTES = 67_108_864;

/** One body that is arriving. */
export interface UnfinishedBody {
  /** The bytes of memory that it takes. */
  bytes: number;
  /** Refuses the request and releases the memory. */
  giveUp(): void;
}

/**
 * Bounds the memory of unfinished bodies, which are held before any signature is verified. When the total exceeds the
 * bound, the body that began first is given up: a client that sends arrives long before one that waits.
 */
export class UnfinishedBodies {
  readonly #maxBytes: number;
  #bytes = 0;
  /** In the order in which they began. */
  readonly #bodies = new Set<UnfinishedBody>();

  constructor(maxBytes = MAX_UNFINISHED_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Records that a body takes this many bytes now. */
  hold(body: UnfinishedBody, bytes: number): void {
    this.#bodies.add(body);
    this.#bytes += bytes - body.bytes;
    body.bytes = bytes;
    while (this.#bytes > this.#maxBytes) {
      const [oldest] = this.#bodies;
      if (!oldest) return;
      this.release(oldest);
      oldest.giveUp();
    }
  }

  /** The body is complete, or given up. */
  release(body: UnfinishedBody): void {
    if (!this.#bodies.delete(body)) return;
    this.#bytes -= body.bytes;
    body.bytes = 0;
  }
}
