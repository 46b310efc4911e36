import { type Db, sql } from './postgres.ts';

const DATABASE_TIME = sql('clock.read', 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms');
/** The database's time now, unix milliseconds, for jobs that have no clock of their own. */
export async function databaseTime(db: Db): Promise<number> {
  const [row] = await db.query<{ ms: number }>(DATABASE_TIME);
  return Math.floor(row!.ms);
}

/** How often a process asks for the time of the database (docs/operations#time). */
const SAMPLE_INTERVAL_MS = 60_000;

/** The one source of time: unix milliseconds, the same on every host (docs/operations#time). */
export interface Clock {
  /** Unix milliseconds, an integer. */
  now(): number;
  /** How far it was moved from the database's time, for what asks the database itself; 0 but in tests. */
  readonly aheadMs: number;
}

/** What one question to the database told: its time was `now() + differenceMs`, give or take `uncertaintyMs`. */
interface Sample {
  readonly differenceMs: number;
  readonly uncertaintyMs: number;
}

/**
 * The database's time, sampled at start and each minute and carried on by the monotonic timer, so that several hosts
 * agree and a host with a wrong clock does no harm. `advance` moves it, which is how tests let days pass.
 */
export class DatabaseClock implements Clock {
  readonly #db: Db;
  #offsetMs = 0;
  #advancedMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Takes the first sample and keeps sampling; throws when the database cannot be asked. */
  async start(): Promise<void> {
    this.#offsetMs = (await this.#sample()).differenceMs;
    this.#timer = setInterval(() => void this.#correct().catch(() => {}), SAMPLE_INTERVAL_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  now(): number {
    return Math.floor(performance.now() + this.#offsetMs + this.#advancedMs);
  }

  /**
   * How far this clock is from the database's now, in milliseconds, asked over the caller's own connections; what the way
   * there and back explains is no drift.
   */
  async driftMs(db: Db): Promise<number> {
    const { differenceMs, uncertaintyMs } = await this.#sample(db);
    return Math.max(0, Math.abs(differenceMs - this.#advancedMs) - uncertaintyMs);
  }

  get aheadMs(): number {
    return this.#advancedMs;
  }

  /** Moves the clock by `ms`, forwards or backwards. */
  advance(ms: number): void {
    this.#advancedMs += ms;
  }

  /** A sample that agrees with the time carried on says nothing better: a slow answer must not move the clock. */
  async #correct(): Promise<void> {
    const { differenceMs, uncertaintyMs } = await this.#sample();
    if (Math.abs(differenceMs) > uncertaintyMs) this.#offsetMs += differenceMs;
  }

  async #sample(db = this.#db): Promise<Sample> {
    const before = performance.now();
    const [row] = await db.query<{ ms: number }>(DATABASE_TIME);
    const uncertaintyMs = (performance.now() - before) / 2;
    return { differenceMs: row!.ms - (before + uncertaintyMs + this.#offsetMs), uncertaintyMs };
  }
}
