import { isPostgresUnavailable, isRetryable, LOCK_NOT_AVAILABLE, READ_ONLY, sqlState } from './errors.ts';
import { Postgres, type PostgresOptions } from './postgres.ts';
import { type Db, sql } from './statement.ts';
import { WrittenPositions } from './writtenPositions.ts';

const SAMPLE_INTERVAL_MS = 1_000;
/** Further behind it is too far (docs/operations#a-replica): whoever follows a list would take it for quiet. */
const MAX_BEHIND_MS = 5_000;

/** Copies have the deployment of what they copy, and no other server began at the very same moment. */
const WHOSE = `pg_postmaster_start_time()::text AS server,
  (SELECT value FROM settings WHERE name = 'deployment_id') AS deployment`;
const WRITTEN = sql('replica.written', `SELECT pg_current_wal_lsn()::text AS position, ${WHOSE}`);
const REPLAYED = sql(
  'replica.replayed',
  `SELECT pg_is_in_recovery() AS replays, CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text END AS position,
     ${WHOSE}`,
);

/** Which server answered, and the database of whom. */
interface Whose {
  readonly server: string;
  readonly deployment: string | null;
}
type Replayed = Whose & { readonly replays: boolean; readonly position: string | null };

/**
 * A read replica that is asked only while it answers and keeps up; whoever reads asks for `current` once for all of a
 * request, so that no page is put together from two servers. How far it is behind is measured by the primary's log:
 * how long ago the primary had written what the replica has replayed.
 */
export class Replica {
  readonly #primary: Db;
  readonly #replica: Postgres;
  readonly #written = new WrittenPositions();
  /** Until the first sample nothing is known. */
  #behindMs: number | undefined;
  /** What the primary said of itself last. */
  #whose: Whose | undefined;
  /** Another forum's, or promoted: nobody knows what it lacks. */
  #isStrange = false;
  /** It has what was committed before; by the monotonic clock. */
  #hasUntil = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(primary: Db, replica: Postgres) {
    this.#primary = primary;
    this.#replica = replica;
  }

  /** Takes the first sample and goes on taking them; a replica that cannot be reached is no reason not to start. */
  async start(): Promise<void> {
    await this.#sample();
    this.#timer = setInterval(() => void this.#sample(), SAMPLE_INTERVAL_MS);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#replica.close();
  }

  get connections(): Postgres {
    return this.#replica;
  }

  /**
   * The replica, or undefined while it is lost or too far behind: then the primary answers. So it does where the replica
   * is not known to have everything that was committed until `agoMs` ago.
   */
  current(agoMs?: number): Db | undefined {
    if (this.#behindMs === undefined || this.#behindMs > MAX_BEHIND_MS) return undefined;
    if (agoMs !== undefined && performance.now() - agoMs > this.#hasUntil) return undefined;
    return this.#replica;
  }

  /** How far it is behind the primary, in milliseconds, by the last sample; undefined while it is lost. */
  get lagMs(): number | undefined {
    return this.#behindMs;
  }

  /** `ok`, or why the primary answers in its place (`/ready`). */
  get state(): string {
    if (this.#isStrange) return 'no standby of the primary, which answers';
    if (this.#behindMs === undefined) return 'lost, the primary answers';
    return this.#behindMs <= MAX_BEHIND_MS
      ? 'ok'
      : `${Math.round(this.#behindMs / 1_000)} s behind, the primary answers`;
  }

  /** True for a failure that is the replica's own, so that the primary may be asked instead; it is then taken for lost. */
  hasFailed(error: unknown): boolean {
    if (isRetryable(error)) return true;
    // Nobody holds a lock on a replica: what was waited for in vain is on the primary. And a replica takes no writes.
    const state = sqlState(error);
    if (!isPostgresUnavailable(error) || state === LOCK_NOT_AVAILABLE || state === READ_ONLY) return false;
    this.#behindMs = undefined;
    return true;
  }

  async #sample(): Promise<void> {
    try {
      await this.#note();
      await this.#compare();
    } catch {
      this.#behindMs = undefined;
      this.#isStrange = false;
    }
  }

  /** Goes on every second while the replica hangs: between samples that are far apart it would seem to be less behind. */
  readonly #note = oneAtATime(async () => {
    const atMs = performance.now();
    const [written] = await this.#primary.query<Whose & { position: string }>(WRITTEN);
    this.#whose = written!;
    this.#written.note({ atMs, position: positionOf(written!.position) });
  });

  readonly #compare = oneAtATime(async () => {
    const [replayed] = await this.#replica.query<Replayed>(REPLAYED);
    if (!this.#whose) return;
    this.#isStrange = !follows(replayed!, this.#whose);
    if (this.#isStrange) {
      this.#behindMs = undefined;
      return;
    }
    const position = replayed!.position;
    const reached = this.#written.reach(position === null ? undefined : positionOf(position));
    this.#behindMs = reached && (reached.behindSinceMs === undefined ? 0 : performance.now() - reached.behindSinceMs);
    if (reached) this.#hasUntil = reached.hasUntilMs;
  });
}

/** A server that replays nothing is nobody's standby: it has what the primary has where it is the primary itself. */
function follows(replayed: Replayed, primary: Whose): boolean {
  return replayed.deployment === primary.deployment && (replayed.replays || replayed.server === primary.server);
}

/** Does nothing while it is still at what it was asked before: who hangs is not asked once more every second. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let isUnderWay = false;
  return async () => {
    if (isUnderWay) return;
    isUnderWay = true;
    await work().finally(() => {
      isUnderWay = false;
    });
  };
}

/** The replica of a configuration, if there is one; it has to be started. */
export function connectReplica(
  { databaseReadUrl: url }: { databaseReadUrl: string | undefined },
  primary: Db,
  options: Omit<PostgresOptions, 'url'>,
): Replica | undefined {
  return url === undefined ? undefined : new Replica(primary, new Postgres({ url, ...options }));
}

/** A position in the log, two hexadecimal halves, as a number. */
function positionOf(text: string): bigint {
  const [high, low] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}
