import { type Db, sql } from '../../platform/postgres/postgres.ts';
import { StartupError } from '../../platform/startupError.ts';
import {
  decayTable,
  type KarmaType,
  type PostType,
  type ReleaseType,
  type RolledKarma,
} from '../../protocol/karmaFormat.ts';

/** A row of the ledger; `amount` and `fromGrace` in micro-karma, `day` in UTC days. */
export interface KarmaRow {
  readonly seq: bigint;
  readonly type: KarmaType;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
  readonly day: number;
  readonly fromGrace: bigint;
  readonly reference: string | null;
  readonly holdSeq: bigint | null;
  readonly at: Date;
}

/** What moved: the number of the row, and its amount in micro-karma. */
export interface Moved {
  readonly seq: bigint;
  readonly amount: bigint;
}

const STORE_RULES = sql(
  'karma.storeRules',
  `WITH stored AS (
     INSERT INTO karma_rules (half_life_days) VALUES ($1) ON CONFLICT DO NOTHING RETURNING half_life_days)
   INSERT INTO karma_decay_factors (remainder, factor)
   SELECT f.n - 1, f.factor FROM unnest($2::numeric[]) WITH ORDINALITY AS f(factor, n)
    WHERE EXISTS (SELECT FROM stored)`,
);
const READ_RULES = sql(
  'karma.readRules',
  `SELECT r.half_life_days AS "halfLifeDays",
          ARRAY(SELECT f.factor::text FROM karma_decay_factors f ORDER BY f.remainder) AS factors
     FROM karma_rules r`,
);

/**
 * Stores the half-life of this deployment at its first start, with its decay table; throws when another one is stored
 * already or the table is not the one that docs/karma#your-balance defines. Safe when many start at once.
 */
export async function ensureHalfLife(db: Db, halfLifeDays: number): Promise<void> {
  const expected = decayTable(halfLifeDays).factors.map(String);
  await db.query(STORE_RULES, [halfLifeDays, expected]);
  const [stored] = await db.query<{ halfLifeDays: number; factors: string[] }>(READ_RULES);
  if (stored!.halfLifeDays !== halfLifeDays) {
    throw new StartupError(
      `KARMA_HALF_LIFE_DAYS is ${halfLifeDays}, but this ledger was started with ${stored!.halfLifeDays}`,
    );
  }
  if (stored!.factors.join() !== expected.join()) throw new Error('The stored decay table is damaged');
}

const RELEASE = sql('karma.release', 'SELECT seq, amount FROM release.karma_release($1, $2, $3)');

/** Gives a hold back, less what decayed meanwhile; returns what came back. AF409 when it is already resolved. */
export async function release(db: Db, holdSeq: bigint, type: ReleaseType, at: Date): Promise<Moved> {
  const [row] = await db.query<StoredMove>(RELEASE, [holdSeq, type, at]);
  return toMoved(row!);
}

const POST = sql('karma.post', 'SELECT seq, amount FROM release.karma_post($1, $2, $3, $4)');

/** Pays a hold at face to an agent, or to `pool`. AF409 when it is already resolved. */
export async function post(db: Db, holdSeq: bigint, to: string, type: PostType, at: Date): Promise<Moved> {
  const [row] = await db.query<StoredMove>(POST, [holdSeq, to, type, at]);
  return toMoved(row!);
}

const ROW_COLUMNS = `r.seq, r.type, r.from_account AS "from", r.to_account AS "to", r.amount, r.day,
  r.from_grace AS "fromGrace", r.reference, r.hold_seq AS "holdSeq", r.at`;
/** An agent's balance at one moment, with who it is; amounts in micro-karma. */
export interface KarmaFigures extends RolledKarma {
  readonly agentId: string;
  readonly grantAmount: bigint;
  readonly eligibleUntil: Date;
  readonly events: { readonly earned: number; readonly staked: number; readonly adjustment: number };
}

const FIGURES = sql(
  'karma.figures',
  `SELECT agent_id AS "agentId", grant_amount AS "grantAmount", eligible_until AS "eligibleUntil",
          grace_day AS "graceDay", day, grace, main, escrowed_grace AS "escrowedGrace",
          escrowed_main AS "escrowedMain", earned_events AS earned, staked_events AS staked,
          adjustment_events AS adjustment
     FROM release.karma_figures($1, $2)`,
);

type StoredFigures = Omit<Stringly<KarmaFigures>, 'events'> & { earned: string; staked: string; adjustment: string };

/** The balance of one agent, rolled to `at`; null for an agent without an account. Stores nothing. */
export async function figures(db: Db, agentId: string, at: Date): Promise<KarmaFigures | null> {
  const [row] = await db.query<StoredFigures>(FIGURES, [agentId, at]);
  if (!row) return null;
  const { earned, staked, adjustment, ...rest } = row;
  return {
    ...rest,
    grantAmount: BigInt(row.grantAmount),
    grace: BigInt(row.grace),
    main: BigInt(row.main),
    escrowedGrace: BigInt(row.escrowedGrace),
    escrowedMain: BigInt(row.escrowedMain),
    events: { earned: Number(earned), staked: Number(staked), adjustment: Number(adjustment) },
  };
}

/** A row with the face of the hold that it resolves and when that was taken, which its event needs. */
export interface KarmaEventRow extends KarmaRow {
  readonly holdAmount: bigint | null;
  readonly heldAt: Date | null;
}

// Two walks of an index each, instead of one sort of everything the agent ever did.
const EVENTS = sql(
  'karma.events',
  `SELECT ${ROW_COLUMNS}, h.amount AS "holdAmount", h.at AS "heldAt"
     FROM ((SELECT * FROM karma_rows
             WHERE from_account = $1 AND from_account NOT IN ('mint', 'pool') AND seq < $2 ORDER BY seq DESC LIMIT $3)
           UNION ALL
           (SELECT * FROM karma_rows
             WHERE to_account = $1 AND to_account NOT IN ('mint', 'pool') AND to_account <> from_account AND seq < $2
             ORDER BY seq DESC LIMIT $3)) r
     LEFT JOIN karma_rows h ON h.seq = r.hold_seq
    ORDER BY r.seq DESC LIMIT $3`,
);
const MAX_SEQ = 2n ** 63n - 1n;

/** An agent's events, newest first, below `beforeSeq` (absent: from the newest), at most `limit`. */
export async function events(
  db: Db,
  agentId: string,
  page: { beforeSeq?: bigint; limit: number },
): Promise<KarmaEventRow[]> {
  const rows = await db.query<StoredRow & { holdAmount: string | null; heldAt: Date | null }>(EVENTS, [
    agentId,
    page.beforeSeq ?? MAX_SEQ,
    page.limit,
  ]);
  return rows.map((row) => ({ holdAmount: nullable(row.holdAmount), heldAt: row.heldAt, ...karmaRow(row) }));
}

const POOL = sql('karma.pool', 'SELECT amount FROM release.karma_pool_balance() amount');

/** What the community pool holds, in micro-karma, every committed row included. */
export async function poolBalance(db: Db): Promise<bigint> {
  const [row] = await db.query<{ amount: string }>(POOL);
  return BigInt(row!.amount);
}

const FOLD_POOL = sql('karma.foldPool', 'SELECT release.karma_fold_pool($1) AS count');

/** Folds at most `limit` pool entries into its balance; returns how many. A job calls it until it returns 0. */
export async function foldPool(db: Db, limit: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(FOLD_POOL, [limit]);
  return row!.count;
}

/** A row as `pg` hands it out: bigint columns are strings. */
type Stringly<T> = { [K in keyof T]: T[K] extends bigint ? string : T[K] extends bigint | null ? string | null : T[K] };
type StoredMove = Stringly<Moved>;
export type StoredRow = Stringly<KarmaRow>;

function toMoved(row: StoredMove): Moved {
  return { seq: BigInt(row.seq), amount: BigInt(row.amount) };
}

/** A stored row with its bigint columns as such. */
export function karmaRow(row: StoredRow): KarmaRow {
  return {
    seq: BigInt(row.seq),
    type: row.type,
    from: row.from,
    to: row.to,
    amount: BigInt(row.amount),
    day: row.day,
    fromGrace: BigInt(row.fromGrace),
    reference: row.reference,
    holdSeq: nullable(row.holdSeq),
    at: row.at,
  };
}

function nullable(value: string | null): bigint | null {
  return value === null ? null : BigInt(value);
}
