import type { Logger } from 'pino';
import type { JobOutcome } from './queues.ts';

/** A repeated failure is logged once in this time (docs/operations#the-log). */
const QUIET_MS = 60_000;

interface Failure {
  readonly message: string;
  readonly loggedAtMs: number;
  readonly times: number;
}

/** Logs failed and requested jobs. A failure that repeats is logged once a minute (docs/operations#the-log). */
export class OutcomeLog {
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #failures = new Map<string, Failure>();

  constructor(log: Logger, now = () => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  logOutcome({ job, seconds, origins, error }: JobOutcome): void {
    const line = { job, ms: Math.round(seconds * 1_000), ...(origins.length > 0 ? { origins } : {}) };
    const isRequested = origins.length > 0;
    if (!error) {
      if (!isRequested) this.#failures.delete(job);
      else this.#log[job === 'outbox.apply' ? 'debug' : 'info'](line, 'job done');
      return;
    }
    const times = isRequested ? 1 : this.#timesToLog(job, String(error));
    if (times > 0) this.#log.error({ ...line, ...(times > 1 ? { times } : {}), err: error }, 'job failed');
  }

  /** Logs that a loop failed and will retry; `what` is the message. */
  warn(what: string, error: unknown): void {
    const times = this.#timesToLog(what, String(error));
    if (times > 0) this.#log.warn({ ...(times > 1 ? { times } : {}), err: error }, what);
  }

  /** How often the failure occurred since it was logged; 0 if that was less than a minute ago. */
  #timesToLog(what: string, message: string): number {
    const now = this.#now();
    const last = this.#failures.get(what);
    const isSame = last?.message === message;
    const times = isSame ? last.times + 1 : 1;
    const isDue = !isSame || now - last.loggedAtMs >= QUIET_MS;
    this.#failures.set(what, isDue ? { message, loggedAtMs: now, times: 0 } : { ...last, times });
    return isDue ? times : 0;
  }
}
