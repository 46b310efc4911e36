import { type LogHealth, logHealth } from '../features/log/health.ts';
import type { DatabaseClock } from '../platform/postgres/clock.ts';
import { type Db, sql, sqlState } from '../platform/postgres/postgres.ts';
import type { RedisConnection } from '../platform/redis/redis.ts';
import { withTimeout } from '../platform/withTimeout.ts';
import { describePostgresLoss } from './postgresLoss.ts';
import { askForWrites, describeLoss, evictionPolicy, FORGETS_AT_RESTART, forgetsAtRestart } from './redis.ts';
import { readSchemaState } from './schema.ts';
import { searchIndexState } from './searchIndex.ts';
import { missingSettings } from './sessions.ts';

const CHECK_TIMEOUT_MS = 2_000;
/** A process is not ready beyond this difference from the database's clock (docs/operations#time). */
const MAX_DRIFT_MS = 1_000;
/** A pooler has sessions of different settings, so several are checked. */
const SESSIONS_CHECKED = 4;

const PING = sql('ops.ping', `SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly"`);
/** Spills 64 kB to a temporary file, because reads alone succeed when the disk is full. */
const SPILL = sql(
  'ops.room',
  `SELECT count(*) FROM generate_series(1, 4000 + 0 * length(set_config('work_mem', '64kB', true)))`,
);
const DISK_FULL = '53100';

export interface Readiness {
  readonly ready: boolean;
  /** `ok`, or the problem in a few words, without addresses or secrets. */
  readonly checks: Readonly<Record<'postgres' | 'redis' | 'clock' | 'schema' | 'settings', string>>;
  /** `ok`, or the problem of the search index; undefined while the posts are unavailable. */
  readonly searchIndex: string | undefined;
  /** True after the process was asked to stop: it still serves, but should get no new requests. */
  readonly draining: boolean;
  /** Problems that do not prevent serving. */
  readonly warnings: readonly string[];
}

/** `searchIndex` is its own database, if any. `hostNow` is in Unix milliseconds; only logs use it. */
export async function readiness({
  db,
  redis,
  clock,
  replicaState,
  searchIndex,
  draining = false,
  hostNow = Date.now,
}: {
  db: Db;
  redis: RedisConnection;
  clock: DatabaseClock;
  replicaState?: string | undefined;
  searchIndex?: Db | undefined;
  draining?: boolean;
  hostNow?: () => number;
}): Promise<Readiness> {
  const [postgres, redisState, drift, schema, settings, searchState, eviction, forgets, logWarning] = await Promise.all(
    [
      stateOf(
        postgresState(db),
        (state) => state,
        (error) => `unavailable: ${describePostgresLoss(error) ?? 'no answer'}`,
      ),
      stateOf(
        askForWrites(redis),
        () => 'ok',
        (error) => `unavailable: ${describeLoss(redis, error)}`,
      ),
      stateOf(clock.driftMs(db), (ms) => (ms < MAX_DRIFT_MS ? 'ok' : `drifted ${Math.round(ms)} ms`)),
      stateOf(readSchemaState(db), (state) => state),
      stateOf(missingSettings(db, SESSIONS_CHECKED), (names) =>
        names.length === 0 ? 'ok' : `missing: ${names.join(', ')}`,
      ),
      stateOf(searchIndexState({ posts: db, index: searchIndex ?? db }), (state) => state),
      optional(evictionPolicy(redis)),
      optional(forgetsAtRestart(redis)),
      optional(logHealth(db).then(describeLog)),
    ],
  );
  const checks = { postgres, redis: redisState, clock: drift, schema, settings };
  const indexState = postgres === 'ok' ? searchState : undefined;
  const hostMs = Math.round(hostNow() - clock.now());
  const warnings = [
    ...(Math.abs(hostMs) < MAX_DRIFT_MS ? [] : [`the clock of this host is off by ${hostMs} ms`]),
    ...(replicaState === undefined || replicaState === 'ok' ? [] : [`replica: ${replicaState}`]),
    ...(indexState === undefined || indexState === 'ok' ? [] : [`search index: ${indexState}`]),
    ...(eviction === undefined ? [] : [`Redis evicts keys (${eviction}): set its maxmemory-policy to noeviction`]),
    ...(forgets ? [FORGETS_AT_RESTART] : []),
    ...(logWarning === undefined ? [] : [logWarning]),
  ];
  const ready = !draining && Object.values(checks).every((state) => state === 'ok');
  return { ready, draining, checks, searchIndex: indexState, warnings };
}

/** What an operator must do about the transparency log; undefined if nothing. */
function describeLog({ state, halted, oldestSeconds }: LogHealth): string | undefined {
  if (state === 'halted') return `the transparency log is halted: ${halted}. Run npm run log:recover`;
  if (state !== 'waiting') return undefined;
  const age = `${Math.round(oldestSeconds)} s`;
  return `the transparency log is not signed: the oldest write has waited for ${age}. Run a worker with LOG_SIGNING_KEY`;
}

async function postgresState(db: Db): Promise<string> {
  const [found] = await db.query<{ isReadOnly: boolean }>(PING);
  if (found!.isReadOnly) return 'read-only';
  return db.query(SPILL).then(
    () => 'ok',
    (error: unknown) => {
      const state = sqlState(error);
      if (state === undefined) throw error;
      // Other errors, such as a `temp_file_limit`, do not prevent writes.
      return state === DISK_FULL ? 'is full' : 'ok';
    },
  );
}

async function stateOf<T>(
  check: Promise<T>,
  meaning: (result: T) => string,
  loss: (error: unknown) => string = () => 'unavailable',
): Promise<string> {
  return withTimeout(check.then(meaning, loss), CHECK_TIMEOUT_MS, () => 'timed out');
}

/** The result of a check, or undefined if it fails or takes too long. */
const optional = <T>(check: Promise<T>): Promise<T | undefined> =>
  withTimeout(
    check.catch(() => undefined),
    CHECK_TIMEOUT_MS,
    () => undefined,
  );
