import { type Db, oneValue } from './statement.ts';

const readTime = oneValue<number>('clock.read', 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms');
const SAMPLE_INTERVAL_MS = 60_000;

/** Returns the database's time now, in unix milliseconds, for jobs that have no clock of their own. */
export const databaseTime = async (db: Db): Promise<number> => Math.floor((await readTime(db))!);

/** The one source of time: unix milliseconds, the same on every host (docs/operations#time). */
export interface Clock {
  now(): number;
  /** How far the clock was moved from the database's time, for statements that use that time; 0 except in tests. */
  readonly aheadMs: number;
}

/** The database's time, sampled each minute and continued by the monotonic timer, so that all hosts agree. */
export class DatabaseClock implements Clock {
  readonly #db: Db;
  #offsetMs = 0;
  #timer: NodeJS.Timeout | undefined;
  aheadMs = 0;

  constructor(db: Db) {
    this.#db = db;
  }

  async start(): Promise<void> {
    this.#offsetMs = (await this.#sample(this.#db)).differenceMs;
    this.#timer = setInterval(() => void this.#correct().catch(() => {}), SAMPLE_INTERVAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  now(): number {
    return Math.floor(performance.now() + this.#offsetMs + this.aheadMs);
  }

  advance(ms: number): void {
    this.aheadMs += ms;
  }

  /** Returns how far this clock is from the database's time, in milliseconds, beyond what the round trip explains. */
  async driftMs(db: Db): Promise<number> {
    const { differenceMs, uncertaintyMs } = await this.#sample(db);
    return Math.max(0, Math.abs(differenceMs - this.aheadMs) - uncertaintyMs);
  }

  /** Ignores a sample that agrees with the continued time, so that a slow answer does not move the clock. */
  async #correct(): Promise<void> {
    const { differenceMs, uncertaintyMs } = await this.#sample(this.#db);
    if (Math.abs(differenceMs) > uncertaintyMs) this.#offsetMs += differenceMs;
  }

  /** The database's time is that of this clock without `advance`, plus `differenceMs`, within `uncertaintyMs`. */
  async #sample(db: Db): Promise<{ differenceMs: number; uncertaintyMs: number }> {
    const before = performance.now();
    const ms = (await readTime(db))!;
    const uncertaintyMs = (performance.now() - before) / 2;
    return { differenceMs: ms - (before + uncertaintyMs + this.#offsetMs), uncertaintyMs };
  }
}
