/** How long requests that are refused for one reason are counted before they are reported. */
const PERIOD_MS = 5_000;

type Report = (outage: { reason: string; requests: number; id?: string }) => void;

/**
 * Reports requests that are refused because a server cannot be used: the first one at once, then every few seconds how many
 * followed. An outage refuses thousands of requests for one reason, and a line with a stack for each would hide it.
 */
export class OutageReports {
  readonly #report: Report;
  readonly #periodMs: number;
  /** The requests since the last report of each reason. */
  readonly #requests = new Map<string, number>();

  constructor(report: Report, periodMs = PERIOD_MS) {
    this.#report = report;
    this.#periodMs = periodMs;
  }

  /** Counts a refused request. `id` names it in the report if it is the first one. */
  count(reason: string, id: string): void {
    const earlier = this.#requests.get(reason);
    if (earlier !== undefined) return void this.#requests.set(reason, earlier + 1);
    this.#requests.set(reason, 0);
    this.#report({ reason, requests: 1, id });
    const timer = setInterval(() => {
      const requests = this.#requests.get(reason)!;
      if (requests > 0) {
        this.#requests.set(reason, 0);
        return this.#report({ reason, requests });
      }
      this.#requests.delete(reason);
      clearInterval(timer);
    }, this.#periodMs).unref();
  }
}
