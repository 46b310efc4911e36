const PERIOD_MS = 5_000;

type Report = (outage: { reason: string; requests: number; id?: string }) => void;

/** Reports the first refused request of each reason at once, then every few seconds how many followed. */
export class OutageReports {
  readonly #report: Report;
  readonly #periodMs: number;
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
