/** When there are more they are thinned, which leaves some two hundred, and after a year some hundreds more. */
const MOST_SAMPLES = 1_024;
/** They stay as much of their age apart: of who is behind for long it is enough to know about how long. */
const APART = 1 / 50;

/** A moment and how far the primary had written its log by then. */
interface Written {
  readonly atMs: number;
  readonly position: bigint;
}

/** When the primary had written what, from the position on that a replica has replayed (docs/operations#a-replica). */
export class WrittenPositions {
  #samples: Written[] = [];

  /** Later than those before. A replica that is away for weeks must not be remembered second by second. */
  note(sample: Written): void {
    this.#samples.push(sample);
    if (this.#samples.length <= MOST_SAMPLES) return;
    let keptMs = Number.NEGATIVE_INFINITY;
    this.#samples = this.#samples.filter(({ atMs }) => {
      if (atMs - keptMs < (sample.atMs - atMs) * APART) return false;
      keptMs = atMs;
      return true;
    });
  }

  get count(): number {
    return this.#samples.length;
  }

  /**
   * What a server that has replayed so much, or all without a position, has for sure, and since when the primary is ahead of
   * it: with all of it replayed there is nothing to be behind of. Undefined while the primary never wrote that little.
   */
  reach(position?: bigint): { readonly hasUntilMs: number; readonly behindSinceMs: number | undefined } | undefined {
    const reached = this.#samples.findLastIndex((sample) => position === undefined || sample.position <= position);
    if (reached === -1) return undefined;
    this.#samples = this.#samples.slice(reached);
    const [last, next] = this.#samples;
    return { hasUntilMs: last!.atMs, behindSinceMs: next?.atMs };
  }
}
