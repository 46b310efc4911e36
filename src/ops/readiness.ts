import { setTimeout as sleep } from 'node:timers/promises';
import { MIGRATION_NAMES } from '../../migrations/run.ts';
import type { DatabaseClock } from '../platform/postgres/clock.ts';
import { type Db, sql } from '../platform/postgres/postgres.ts';
import { RELEASE } from '../platform/postgres/release.ts';
import { missingSettings } from '../platform/postgres/session.ts';
import type { RedisConnection } from '../platform/redis/redis.ts';

const CHECK_TIMEOUT_MS = 2_000;
/** Contract 1: above it the process does not serve; of the host's own clock it is only said. */
const MAX_DRIFT_MS = 1_000;

const PING = sql('ops.ping', 'SELECT 1');
const MIGRATED = sql(
  'ops.migrated',
  "SELECT name FROM knex_migrations UNION ALL SELECT nspname FROM pg_namespace WHERE nspname LIKE 'release%'",
);

export interface Readiness {
  readonly ready: boolean;
  /** `ok`, or what is wrong in a word or two: never an address or a secret. */
  readonly checks: Readonly<Record<'postgres' | 'redis' | 'clock' | 'schema' | 'settings', string>>;
  /** What keeps nobody from serving, but somebody should look at. */
  readonly warnings: readonly string[];
}

/**
 * Whether this process could serve now: Postgres and Redis answer, the clock agrees with the database's, the schema is up
 * to date, and the session settings that migration stores are in force. `replicaState` is `ok`, or why the primary answers
 * in the replica's place, which keeps nobody from serving; undefined without a replica. `hostNow` is the host's own time, unix milliseconds: nothing goes by it, but logs of the host do.
 */
export async function readiness({
  db,
  redis,
  clock,
  replicaState,
  hostNow = Date.now,
}: {
  db: Db;
  redis: RedisConnection;
  clock: DatabaseClock;
  replicaState?: string | undefined;
  hostNow?: () => number;
}): Promise<Readiness> {
  const [postgres, redisState, drift, schema, settings] = await Promise.all([
    inTime(db.query(PING), () => 'ok'),
    inTime(redis.ping(), () => 'ok'),
    inTime(clock.driftMs(db), (ms) => (ms < MAX_DRIFT_MS ? 'ok' : `drifted ${Math.round(ms)} ms`)),
    inTime(db.query<{ name: string }>(MIGRATED), (rows) => schemaState(rows.map(({ name }) => name))),
    inTime(missingSettings(db), (names) => (names.length === 0 ? 'ok' : `not in force: ${names.join(', ')}`)),
  ]);
  const checks = { postgres, redis: redisState, clock: drift, schema, settings };
  const hostMs = Math.round(hostNow() - clock.now());
  const warnings = [
    ...(Math.abs(hostMs) < MAX_DRIFT_MS ? [] : [`the clock of this host is off by ${hostMs} ms`]),
    ...(replicaState === undefined || replicaState === 'ok' ? [] : [`replica: ${replicaState}`]),
  ];
  return { ready: Object.values(checks).every((state) => state === 'ok'), checks, warnings };
}

function schemaState(applied: readonly string[]): string {
  const missing = MIGRATION_NAMES.filter((name) => !applied.includes(name));
  if (missing.length > 0) return `${missing.length} migrations missing`;
  return applied.includes(RELEASE) ? 'ok' : 'functions of this release missing';
}

/** What the answer means, or that there was none. */
async function inTime<T>(question: Promise<T>, meaning: (answer: T) => string): Promise<string> {
  const late = new AbortController();
  const timeout = sleep(CHECK_TIMEOUT_MS, 'timed out', { signal: late.signal }).catch(() => 'timed out');
  const answered = question.then(meaning, () => 'unavailable');
  return Promise.race([answered, timeout]).finally(() => late.abort());
}
