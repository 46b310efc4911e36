/** How long requests that are refused for one reason are counted before a line says how many they were. */
const COUNTED_MS = 5_000;

interface Counted {
  requests: number;
}

/**
 * Reports that requests are refused because a server cannot be used: the first one at once, then every few seconds how many
 * there were since. An outage refuses thousands of requests for one reason, and a line with a stack for each would hide it.
 */
export class OutageReports {
  readonly #report: (facts: { reason: string; requests: number; id?: string }) => void;
  readonly #countedMs: number;
  readonly #counted = new Map<string, Counted>();

  constructor(report: (facts: { reason: string; requests: number; id?: string }) => void, countedMs = COUNTED_MS) {
    this.#report = report;
    this.#countedMs = countedMs;
  }

  /** `id` names the request, for the first one. */
  count(reason: string, id: string): void {
    const counted = this.#counted.get(reason);
    if (counted) {
      counted.requests += 1;
      return;
    }
    this.#counted.set(reason, { requests: 0 });
    this.#report({ reason, requests: 1, id });
    this.#wait(reason);
  }

  #wait(reason: string): void {
    setTimeout(() => {
      const { requests } = this.#counted.get(reason)!;
      this.#counted.delete(reason);
      if (requests === 0) return;
      this.#report({ reason, requests });
      this.#counted.set(reason, { requests: 0 });
      this.#wait(reason);
    }, this.#countedMs).unref();
  }
}
