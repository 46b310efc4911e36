import type { Logger } from 'pino';
import type { JobOutcome } from '../src/platform/redis/queues.ts';

/**
 * How often a periodic job that fails each time for one reason has a line, or whatever else does (docs/operations#the-log): meanwhile it is counted.
 */
const QUIET_MS = 60_000;

interface Told {
  readonly message: string;
  readonly atMs: number;
  /** Since then. */
  readonly times: number;
}

/**
 * A line for what failed, and for what one request asked for; deliveries are many, and told when somebody debugs. A job that comes
 * each second and fails each time for one reason is told of once a minute, with how often it failed since (docs/operations#the-log).
 */
export class OutcomeLog {
  readonly #log: Logger;
  readonly #now: () => number;
  readonly #told = new Map<string, Told>();

  constructor(log: Logger, now = () => performance.now()) {
    this.#log = log;
    this.#now = now;
  }

  tell({ job, seconds, origins, error }: JobOutcome): void {
    const line = { job, ms: Math.round(seconds * 1_000), ...(origins.length > 0 ? { origins } : {}) };
    const isAsked = origins.length > 0;
    if (!error) {
      if (!isAsked) this.#told.delete(job);
      else this.#log[job === 'outbox.apply' ? 'debug' : 'info'](line, 'job done');
      return;
    }
    const times = isAsked ? 1 : this.#timesToTell(job, String(error));
    if (times > 0) this.#log.error({ ...line, ...(times > 1 ? { times } : {}), err: error }, 'job failed');
  }

  /** What waits until something is there again, and tries all the time; `what` is the line. */
  warn(what: string, error: unknown): void {
    const times = this.#timesToTell(what, String(error));
    if (times > 0) this.#log.warn({ ...(times > 1 ? { times } : {}), err: error }, what);
  }

  /** How often it failed so since it was told of last; 0 when that is not long ago. */
  #timesToTell(what: string, message: string): number {
    const now = this.#now();
    const told = this.#told.get(what);
    const isSame = told?.message === message;
    const times = isSame ? told.times + 1 : 1;
    const isDue = !isSame || now - told.atMs >= QUIET_MS;
    this.#told.set(what, isDue ? { message, atMs: now, times: 0 } : { ...told, times });
    return isDue ? times : 0;
  }
}
