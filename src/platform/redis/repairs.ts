const PAUSE_MS = 250;
/** Beyond it nothing more is kept: a service that long without Redis has other troubles. */
const MAX_KEPT = 10_000;

interface Repair {
  readonly act: () => Promise<void>;
  readonly dueAtMs: number;
  readonly lapsesAtMs: number;
}

/**
 * What could not be put right at once and is tried until it succeeds or nobody needs it any more. One after another, and
 * the first that fails ends the round: what all of them need is not there yet. Kept in memory alone, so each must be
 * something that is found out by other ways too when this process dies.
 */
export class Repairs {
  readonly #kept = new Map<string, Repair>();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  /** Keeps a repair under a key, in place of an earlier one. `firstMs`: not before; `lastMs`: not after. */
  add(key: string, act: () => Promise<void>, { firstMs = 0, lastMs }: { firstMs?: number; lastMs: number }): void {
    if (this.#kept.size >= MAX_KEPT || this.#isStopped) return;
    const nowMs = performance.now();
    this.#kept.set(key, { act, dueAtMs: nowMs + firstMs, lapsesAtMs: nowMs + lastMs });
    this.#schedule();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#kept.clear();
  }

  #schedule(): void {
    if (this.#timer || this.#isStopped) return;
    this.#timer = setTimeout(() => {
      void this.#round().then(() => {
        this.#timer = undefined;
        if (this.#kept.size > 0) this.#schedule();
      });
    }, PAUSE_MS);
    this.#timer.unref();
  }

  async #round(): Promise<void> {
    for (const [key, repair] of this.#kept) {
      const nowMs = performance.now();
      if (nowMs < repair.dueAtMs) continue;
      const isOver =
        nowMs > repair.lapsesAtMs ||
        (await repair.act().then(
          () => true,
          () => false,
        ));
      if (!isOver) return;
      if (this.#kept.get(key) === repair) this.#kept.delete(key);
    }
  }
}
