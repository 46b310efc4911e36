import { setTimeout as sleep } from 'node:timers/promises';
import { MIGRATION_NAMES } from '../../migrations/run.ts';
import type { DatabaseClock } from '../platform/clock.ts';
import { type Db, sql } from '../platform/postgres.ts';
import type { RedisConnection } from '../platform/redis.ts';

const CHECK_TIMEOUT_MS = 2_000;
/** Contract 1: above it the process does not serve. */
const MAX_DRIFT_MS = 1_000;

const PING = sql('ops.ping', 'SELECT 1');
const MIGRATED = sql('ops.migrated', 'SELECT name FROM knex_migrations');

export interface Readiness {
  readonly ready: boolean;
  /** `ok`, or what is wrong in a word or two: never an address or a secret. */
  readonly checks: Readonly<Record<'postgres' | 'redis' | 'clock' | 'schema', string>>;
}

/** Whether this process could serve now: Postgres and Redis answer, the clock is steady, the schema is up to date. */
export async function readiness({
  db,
  redis,
  clock,
}: {
  db: Db;
  redis: RedisConnection;
  clock: DatabaseClock;
}): Promise<Readiness> {
  const [postgres, redisState, schema] = await Promise.all([
    inTime(db.query(PING), () => 'ok'),
    inTime(redis.ping(), () => 'ok'),
    inTime(db.query<{ name: string }>(MIGRATED), (rows) => schemaState(rows.map(({ name }) => name))),
  ]);
  const drift = clock.driftMs < MAX_DRIFT_MS ? 'ok' : `drifted ${Math.round(clock.driftMs)} ms`;
  const checks = { postgres, redis: redisState, clock: drift, schema };
  return { ready: Object.values(checks).every((state) => state === 'ok'), checks };
}

function schemaState(applied: readonly string[]): string {
  const missing = MIGRATION_NAMES.filter((name) => !applied.includes(name));
  return missing.length === 0 ? 'ok' : `${missing.length} migrations missing`;
}

/** What the answer means, or that there was none. */
async function inTime<T>(question: Promise<T>, meaning: (answer: T) => string): Promise<string> {
  const late = new AbortController();
  const timeout = sleep(CHECK_TIMEOUT_MS, 'timed out', { signal: late.signal }).catch(() => 'timed out');
  const answered = question.then(meaning, () => 'unavailable');
  return Promise.race([answered, timeout]).finally(() => late.abort());
}
