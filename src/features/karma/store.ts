import { type Db, manyRows, noRows, oneRow, oneValue } from '../../platform/postgres/postgres.ts';
import { StartupError } from '../../platform/startupError.ts';
import {
  decayTable,
  type KarmaType,
  type PostType,
  type ReleaseType,
  type RolledKarma,
} from '../../protocol/karmaFormat.ts';

/** A row of the ledger. `amount` and `fromGrace` are in micro-karma, `day` in UTC days since 1970. */
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

export type Moved = Pick<KarmaRow, 'seq' | 'amount'>;

/** A row as `pg` returns it: bigint columns are text. */
type Stored<T> = { [K in keyof T]: T[K] extends bigint ? string : T[K] extends bigint | null ? string | null : T[K] };
export type StoredRow = Stored<KarmaRow>;

function parseBigints<T extends object>(row: Stored<T>, ...columns: readonly (keyof T)[]): T {
  const parsed: Record<keyof T, unknown> = { ...row };
  for (const column of columns) if (parsed[column] !== null) parsed[column] = BigInt(parsed[column] as string);
  return parsed as T;
}

export const karmaRow = (row: StoredRow): KarmaRow =>
  parseBigints<KarmaRow>(row, 'seq', 'amount', 'fromGrace', 'holdSeq');

const storeRules = noRows<[halfLifeDays: number, factors: readonly string[]]>(
  'karma.storeRules',
  `WITH stored AS (
     INSERT INTO karma_rules (half_life_days) VALUES ($1) ON CONFLICT DO NOTHING RETURNING half_life_days)
   INSERT INTO karma_decay_factors (remainder, factor)
   SELECT f.n - 1, f.factor FROM unnest($2::numeric[]) WITH ORDINALITY AS f(factor, n)
    WHERE EXISTS (SELECT FROM stored)`,
);

export const storedRules = oneRow<{ readonly halfLifeDays: number; readonly factors: readonly string[] }>(
  'karma.readRules',
  `SELECT r.half_life_days AS "halfLifeDays",
          ARRAY(SELECT f.factor::text FROM karma_decay_factors f ORDER BY f.remainder) AS factors
     FROM karma_rules r`,
);

/** Throws if another half-life or table is stored (docs/karma#your-balance). Several processes may start at once. */
export async function ensureHalfLife(db: Db, halfLifeDays: number): Promise<void> {
  const expected = decayTable(halfLifeDays).factors.map(String);
  await storeRules(db, halfLifeDays, expected);
  const stored = (await storedRules(db))!;
  if (stored.halfLifeDays !== halfLifeDays) {
    throw new StartupError(
      `KARMA_HALF_LIFE_DAYS is ${halfLifeDays}, but this ledger was started with ${stored.halfLifeDays}`,
    );
  }
  if (stored.factors.join() !== expected.join()) throw new Error('The stored decay table is damaged');
}

const releaseHold = oneRow<Stored<Moved>, [holdSeq: bigint, type: ReleaseType, at: Date]>(
  'karma.release',
  'SELECT seq, amount FROM release.karma_release($1, $2, $3)',
);

/** Returns a hold to its owner, less its decay. Raises AF409 if it is already resolved. */
export const release = async (db: Db, holdSeq: bigint, type: ReleaseType, at: Date): Promise<Moved> =>
  parseBigints<Moved>((await releaseHold(db, holdSeq, type, at))!, 'seq', 'amount');

const postHold = oneRow<Stored<Moved>, [holdSeq: bigint, to: string, type: PostType, at: Date]>(
  'karma.post',
  'SELECT seq, amount FROM release.karma_post($1, $2, $3, $4)',
);

/** Pays the whole hold to an agent or to `pool`. Raises AF409 if it is already resolved. */
export const post = async (db: Db, holdSeq: bigint, to: string, type: PostType, at: Date): Promise<Moved> =>
  parseBigints<Moved>((await postHold(db, holdSeq, to, type, at))!, 'seq', 'amount');

/** An agent's balance at one moment; amounts in micro-karma. */
export interface KarmaFigures extends RolledKarma {
  readonly agentId: string;
  readonly grantAmount: bigint;
  readonly eligibleUntil: Date;
  readonly events: { readonly earned: number; readonly staked: number; readonly adjustment: number };
}

const storedFigures = oneRow<Stored<KarmaFigures>, [agentId: string, at: Date]>(
  'karma.figures',
  `SELECT agent_id AS "agentId", grant_amount AS "grantAmount", eligible_until AS "eligibleUntil",
          grace_day AS "graceDay", day, grace, main, escrowed_grace AS "escrowedGrace",
          escrowed_main AS "escrowedMain",
          json_build_object('earned', earned_events, 'staked', staked_events, 'adjustment', adjustment_events) AS events
     FROM release.karma_figures($1, $2)`,
);

export async function figures(db: Db, agentId: string, at: Date): Promise<KarmaFigures | null> {
  const row = await storedFigures(db, agentId, at);
  if (!row) return null;
  return parseBigints<KarmaFigures>(row, 'grantAmount', 'grace', 'main', 'escrowedGrace', 'escrowedMain');
}

/** A row with the amount and the time of the hold that it resolves. */
export interface KarmaEventRow extends KarmaRow {
  readonly holdAmount: bigint | null;
  readonly heldAt: Date | null;
}

// Walks two indexes, instead of sorting all rows of the agent.
const storedEvents = manyRows<Stored<KarmaEventRow>, [agentId: string, beforeSeq: bigint, limit: number]>(
  'karma.events',
  `SELECT r.seq, r.type, r.from_account AS "from", r.to_account AS "to", r.amount, r.day, r.from_grace AS "fromGrace",
          r.reference, r.hold_seq AS "holdSeq", r.at, h.amount AS "holdAmount", h.at AS "heldAt"
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

export async function events(
  db: Db,
  agentId: string,
  { beforeSeq = MAX_SEQ, limit }: { beforeSeq?: bigint; limit: number },
): Promise<KarmaEventRow[]> {
  const rows = await storedEvents(db, agentId, beforeSeq, limit);
  return rows.map((row) => parseBigints<KarmaEventRow>(row, 'seq', 'amount', 'fromGrace', 'holdSeq', 'holdAmount'));
}

const storedPool = oneValue<string>('karma.pool', 'SELECT amount FROM release.karma_pool_balance() amount');

export const poolBalance = async (db: Db): Promise<bigint> => BigInt((await storedPool(db))!);

const fold = oneValue<number, [limit: number]>('karma.foldPool', 'SELECT release.karma_fold_pool($1) AS count');

/** Folds at most `limit` pool entries into the balance and returns how many. A job calls it until it returns 0. */
export const foldPool = async (db: Db, limit: number): Promise<number> => (await fold(db, limit))!;
