import { isPostgresUnavailable, isRetryable, LOCK_NOT_AVAILABLE, READ_ONLY, sqlState } from './errors.ts';
import { Postgres, type PostgresOptions } from './postgres.ts';
import { type Db, sql } from './statement.ts';

const SAMPLE_INTERVAL_MS = 1_000;
/** A replica that is further behind is not asked: lists would look quiet (docs/operations#a-replica). */
const MAX_BEHIND_MS = 5_000;
/** How long a replica serves while the primary does not respond, as in a failover (docs/operations#a-replica). */
const ALONE_MS = 30_000;
/** More samples are thinned out, which leaves some two hundred, and after a year some hundreds more. */
const MAX_SAMPLES = 1_024;
/** Thinned samples are this part of their age apart: a long lag need not be known exactly. */
const DISTANCE = 1 / 50;

/** Replicas have the deployment of their primary, and no other server started at the same moment. */
const IDENTITY = `pg_postmaster_start_time()::text AS server,
  (SELECT value FROM settings WHERE name = 'deployment_id') AS deployment`;
const WRITTEN = sql('replica.written', `SELECT pg_current_wal_lsn()::text AS position, ${IDENTITY}`);
const REPLAYED = sql(
  'replica.replayed',
  `SELECT pg_is_in_recovery() AS replays, CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn()::text END AS position,
     ${IDENTITY}`,
);

interface Identity {
  readonly server: string;
  readonly deployment: string | null;
}
type Replayed = Identity & { readonly replays: boolean; readonly position: string | null };

/** A replica, asked only while it keeps up. Its lag is how long ago the primary had written what it has replayed. */
export class Replica {
  readonly #primary: Db;
  readonly connections: Postgres;
  readonly #written = new WrittenPositions();
  /** Undefined before the first sample and while the replica is lost. */
  #behindMs: number | undefined;
  #primaryIdentity: Identity | undefined;
  #primaryAnsweredAt = Number.NEGATIVE_INFINITY;
  /** It belongs to another forum or was promoted, so nobody knows what it lacks. */
  #isStrange = false;
  /** It has everything that was committed before, by the monotonic clock. */
  #hasUntil = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(primary: Db, replica: Postgres) {
    this.#primary = primary;
    this.connections = replica;
  }

  /** Takes the first sample and keeps sampling. A replica that cannot be reached does not prevent the start. */
  async start(): Promise<void> {
    await this.#sample();
    this.#timer = setInterval(() => void this.#sample(), SAMPLE_INTERVAL_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.connections.close();
  }

  /** Undefined while lost or behind, or without commits until `agoMs` ago. Ask once: no page mixes two servers. */
  current(agoMs?: number): Db | undefined {
    if (this.#behindMs === undefined || this.#behindMs > MAX_BEHIND_MS) return undefined;
    if (agoMs !== undefined && performance.now() - agoMs > this.#hasUntil) return undefined;
    return this.connections;
  }

  get lagMs(): number | undefined {
    return this.#behindMs;
  }

  /** `ok`, or why the primary answers in its place (`/ready`). */
  get state(): string {
    if (this.#isStrange) return 'not a standby of the primary, which serves the reads';
    if (this.#behindMs === undefined) return 'unreachable, the primary serves the reads';
    return this.#behindMs <= MAX_BEHIND_MS
      ? 'ok'
      : `${Math.round(this.#behindMs / 1_000)} s behind, the primary serves the reads`;
  }

  /** True for a failure of the replica itself, which then counts as lost, so that the primary may be asked. */
  hasFailed(error: unknown): boolean {
    if (isRetryable(error)) return true;
    // A replica has no locks to wait for and takes no writes, so these errors come from the primary.
    const state = sqlState(error);
    if (!isPostgresUnavailable(error) || state === LOCK_NOT_AVAILABLE || state === READ_ONLY) return false;
    this.#behindMs = undefined;
    return true;
  }

  async #sample(): Promise<void> {
    try {
      await this.#note().catch((error: unknown) => {
        if (performance.now() - this.#primaryAnsweredAt > ALONE_MS) throw error;
      });
      await this.#compare();
    } catch {
      this.#behindMs = undefined;
      this.#isStrange = false;
    }
  }

  /** Continues every second while the replica hangs: with samples far apart the lag would seem smaller. */
  readonly #note = oneAtATime(async () => {
    const atMs = performance.now();
    const [written] = await this.#primary.query<Identity & { position: string }>(WRITTEN);
    this.#primaryIdentity = written!;
    this.#primaryAnsweredAt = performance.now();
    this.#written.note({ atMs, position: positionOf(written!.position) });
  });

  readonly #compare = oneAtATime(async () => {
    const [replayed] = await this.connections.query<Replayed>(REPLAYED);
    const primary = this.#primaryIdentity;
    if (!primary) return;
    const { deployment, replays, server, position } = replayed!;
    // A server that replays nothing is a standby of none. It has what the primary has only if it is the primary itself.
    this.#isStrange = deployment !== primary.deployment || !(replays || server === primary.server);
    if (this.#isStrange) {
      this.#behindMs = undefined;
      return;
    }
    const reached = this.#written.reach(position === null ? undefined : positionOf(position));
    this.#behindMs = reached && (reached.behindSinceMs === undefined ? 0 : performance.now() - reached.behindSinceMs);
    if (reached) this.#hasUntil = reached.hasUntilMs;
  });
}

/** Skips a run while the one before is under way, so that a server that hangs is not asked every second. */
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

export function connectReplica(
  { databaseReadUrl: url }: { databaseReadUrl: string | undefined },
  primary: Db,
  options: Omit<PostgresOptions, 'url'>,
): Replica | undefined {
  return url === undefined ? undefined : new Replica(primary, new Postgres({ url, ...options }));
}

/** A position in the write-ahead log, two hexadecimal halves, as a number. */
function positionOf(text: string): bigint {
  const [high, low] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

interface WrittenPosition {
  readonly atMs: number;
  readonly position: bigint;
}

/** Positions that the primary has written, from the replica's position on (docs/operations#a-replica). */
export class WrittenPositions {
  #samples: WrittenPosition[] = [];

  /** Adds a later sample. Thins them out, so that a replica that is away for weeks takes little memory. */
  note(sample: WrittenPosition): void {
    this.#samples.push(sample);
    if (this.#samples.length <= MAX_SAMPLES) return;
    let lastMs = Number.NEGATIVE_INFINITY;
    this.#samples = this.#samples.filter(({ atMs }) => {
      if (atMs - lastMs < (sample.atMs - atMs) * DISTANCE) return false;
      lastMs = atMs;
      return true;
    });
  }

  get count(): number {
    return this.#samples.length;
  }

  /** Until when a server at `position` has all writes, and since when the primary is ahead, if samples tell. */
  reach(position?: bigint): { readonly hasUntilMs: number; readonly behindSinceMs: number | undefined } | undefined {
    const reached = this.#samples.findLastIndex((sample) => position === undefined || sample.position <= position);
    if (reached === -1) return undefined;
    this.#samples = this.#samples.slice(reached);
    const [last, next] = this.#samples;
    return { hasUntilMs: last!.atMs, behindSinceMs: next?.atMs };
  }
}
