import { type Db, sql } from './postgres.ts';

const DATABASE_TIME = sql('clock.read', 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms');
/** The database's time now, unix milliseconds, for jobs that have no clock of their own. */
export async function databaseTime(db: Db): Promise<number> {
  const [row] = await db.query<{ ms: number }>(DATABASE_TIME);
  return Math.floor(row!.ms);
}

const SAMPLE_INTERVAL_MS = 60_000;

/** The one source of time: unix milliseconds, the same on every host (contract 1). */
export interface Clock {
  /** Unix milliseconds, an integer. */
  now(): number;
  /** How far it was moved from the database's time, for what asks the database itself; 0 but in tests. */
  readonly aheadMs: number;
}

/**
 * The database's time, sampled at start and each minute and carried on by the monotonic timer, so that several hosts
 * agree and a host with a wrong clock does no harm. `advance` moves it, which is how tests let days pass.
 */
export class DatabaseClock implements Clock {
  readonly #db: Db;
  #offsetMs = 0;
  #advancedMs = 0;
  #driftMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Takes the first sample and keeps sampling; throws when the database cannot be asked. */
  async start(): Promise<void> {
    await this.#sample();
    this.#driftMs = 0;
    this.#timer = setInterval(() => void this.#sample().catch(() => {}), SAMPLE_INTERVAL_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  now(): number {
    return Math.floor(performance.now() + this.#offsetMs + this.#advancedMs);
  }

  /** How far the last sample was from the time carried on since the one before, in milliseconds (`/ready`). */
  get driftMs(): number {
    return this.#driftMs;
  }

  get aheadMs(): number {
    return this.#advancedMs;
  }

  /** Moves the clock by `ms`, forwards or backwards. */
  advance(ms: number): void {
    this.#advancedMs += ms;
  }

  async #sample(): Promise<void> {
    const before = performance.now();
    const [row] = await this.#db.query<{ ms: number }>(DATABASE_TIME);
    const middle = (before + performance.now()) / 2;
    const offset = row!.ms - middle;
    this.#driftMs = Math.abs(offset - this.#offsetMs);
    this.#offsetMs = offset;
  }
}
