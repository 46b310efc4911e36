import type { DatabaseClock } from '../platform/postgres/clock.ts';
import { describePostgresLoss } from '../platform/postgres/errors.ts';
import { type Db, sql, sqlState } from '../platform/postgres/postgres.ts';
import { missingSettings } from '../platform/postgres/session.ts';
import {
  askForWrites,
  describeLoss,
  evictionPolicy,
  FORGETS_AT_RESTART,
  forgetsAtRestart,
  type RedisConnection,
} from '../platform/redis/redis.ts';
import { withTimeout } from '../platform/withTimeout.ts';
import { type LogHealth, logHealth } from '../recording/logTiles.ts';
import { readSchemaState } from './schema.ts';
import { searchIndexState } from './searchIndex.ts';

const CHECK_TIMEOUT_MS = 2_000;
/** How far from the database's clock a process still serves (docs/operations#time); of the host's own clock it is only said. */
const MAX_DRIFT_MS = 1_000;
/** A pooler shares its sessions with whoever connects to it, so one that is in order says little of the others. */
const SESSIONS_LOOKED_AT = 4;

const PING = sql('ops.ping', `SELECT current_setting('transaction_read_only') = 'on' AS "isReadOnly"`);
/** Writes 64 kB to the disk and forgets them: a server whose disk is full answers everything else that reads. */
const ROOM = sql(
  'ops.room',
  `SELECT count(*) FROM generate_series(1, 4000 + 0 * length(set_config('work_mem', '64kB', true)))`,
);
const DISK_FULL = '53100';

export interface Readiness {
  readonly ready: boolean;
  /** `ok`, or what is wrong in a word or two: never an address or a secret. */
  readonly checks: Readonly<Record<'postgres' | 'redis' | 'clock' | 'schema' | 'settings', string>>;
  /** `ok`, or what is wrong with the index of search; undefined while the posts themselves are not there. */
  readonly searchIndex: string | undefined;
  /** True once the process was asked to stop: it still serves, but is sent nothing new. */
  readonly draining: boolean;
  /** What keeps nobody from serving, but somebody should look at. */
  readonly warnings: readonly string[];
}

/**
 * Whether this process could serve now: Postgres and Redis answer, the clock agrees with the database's, the schema is up
 * to date, and the session settings that migration stores are in force, in each of several sessions. `replicaState` is `ok`, or why the primary answers
 * in the replica's place, which keeps nobody from serving; undefined without a replica. `searchIndex` is the database of the
 * index of search, where it has one of its own. `hostNow` is the host's own time, unix milliseconds: nothing goes by it, but logs of the host do.
 */
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
      stateOf(missingSettings(db, SESSIONS_LOOKED_AT), (names) =>
        names.length === 0 ? 'ok' : `not in force: ${names.join(', ')}`,
      ),
      stateOf(searchIndexState({ posts: db, index: searchIndex ?? db }), (state) => state),
      withTimeout(
        evictionPolicy(redis).catch(() => undefined),
        CHECK_TIMEOUT_MS,
        () => undefined,
      ),
      withTimeout(
        forgetsAtRestart(redis).catch(() => false),
        CHECK_TIMEOUT_MS,
        () => false,
      ),
      withTimeout(
        logHealth(db).then(describeLog, () => undefined),
        CHECK_TIMEOUT_MS,
        () => undefined,
      ),
    ],
  );
  const checks = { postgres, redis: redisState, clock: drift, schema, settings };
  const indexState = postgres === 'ok' ? searchState : undefined;
  const hostMs = Math.round(hostNow() - clock.now());
  const warnings = [
    ...(Math.abs(hostMs) < MAX_DRIFT_MS ? [] : [`the clock of this host is off by ${hostMs} ms`]),
    ...(replicaState === undefined || replicaState === 'ok' ? [] : [`replica: ${replicaState}`]),
    ...(indexState === undefined || indexState === 'ok' ? [] : [`the index of search: ${indexState}`]),
    ...(eviction === undefined ? [] : [`Redis throws keys away (${eviction}): set its maxmemory-policy to noeviction`]),
    ...(forgets ? [FORGETS_AT_RESTART] : []),
    ...(logWarning === undefined ? [] : [logWarning]),
  ];
  const ready = !draining && Object.values(checks).every((state) => state === 'ok');
  return { ready, draining, checks, searchIndex: indexState, warnings };
}

/** What an operator must do about the transparency log; undefined while there is nothing. */
function describeLog({ state, halted, oldestSeconds }: LogHealth): string | undefined {
  if (state === 'halted') return `the transparency log is halted: ${halted}. Run npm run log:recover`;
  if (state !== 'waiting') return undefined;
  const age = `${Math.round(oldestSeconds)} s`;
  return `the transparency log is not signed: the oldest write has waited for ${age}. Run a worker with LOG_SIGNING_KEY`;
}

async function postgresState(db: Db): Promise<string> {
  const [found] = await db.query<{ isReadOnly: boolean }>(PING);
  if (found!.isReadOnly) return 'takes no writes';
  return db.query(ROOM).then(
    () => 'ok',
    (error: unknown) => {
      const state = sqlState(error);
      if (state === undefined) throw error;
      // What else it refuses, as by `temp_file_limit`, keeps nobody from writing.
      return state === DISK_FULL ? 'is full' : 'ok';
    },
  );
}

/** What the answer means, or that there was none. */
async function stateOf<T>(
  question: Promise<T>,
  meaning: (answer: T) => string,
  loss: (error: unknown) => string = () => 'unavailable',
): Promise<string> {
  return withTimeout(question.then(meaning, loss), CHECK_TIMEOUT_MS, () => 'timed out');
}
