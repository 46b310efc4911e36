/**
 * Where an agent's karma came from (docs/karma#where-karma-came-from). A periodic job stores the sums of each UTC day.
 * Reads depend only on ledger rows of earlier days, so two reads around a vote are equal and do not reveal the voter.
 */
import { type Db, oneRow, oneValue, sql } from '../../platform/postgres/postgres.ts';
import { MAX_PROBLEMS, type Sliced, slices } from '../../platform/postgres/slices.ts';
import { DAY_MS, dayOf, shareOf, smaller } from '../../protocol/karmaFormat.ts';
import type { Provenance } from './schemas.ts';

/** With fewer givers, their shares could reveal one of them. */
const FEWEST_GIVERS = 5n;
/** Agents that registered less than this time before they gave. */
const YOUNG_MS = 7 * DAY_MS;
/** After midnight (UTC), writes of the day before are committed within this time. */
const SETTLED_MS = 60_000;
const ROWS_A_BATCH = 500;
/** Batches of one run. A forum that was upgraded catches up at 10,000 rows a run. */
const BATCHES_A_RUN = 20;

/** Sums in micro-karma, as text. */
export interface StoredProvenance {
  readonly givers: number;
  readonly earned: string;
  readonly topGiven: string;
  readonly youngGiven: string;
  readonly fromGrant: string;
  readonly balance: string;
}

const stored = oneRow<StoredProvenance, [agentId: string, at: Date, settled: string]>(
  'karma.provenance',
  `SELECT givers, earned, top_given AS "topGiven", young_given AS "youngGiven", from_grant AS "fromGrant", balance
     FROM release.karma_provenance_at($1, $2, $3)`,
);

export const provenanceAt = (db: Db, agentId: string, at: Date): Promise<StoredProvenance | undefined> =>
  stored(db, agentId, at, `${SETTLED_MS} milliseconds`);

export function presentProvenance(sums: StoredProvenance): Provenance {
  const [earned, top, young] = [BigInt(sums.earned), BigInt(sums.topGiven), BigInt(sums.youngGiven)];
  const isShown = BigInt(sums.givers) >= FEWEST_GIVERS;
  return {
    givers: isShown ? sums.givers : null,
    topGiverShare: isShown ? shareOf(top, earned) : null,
    youngGiverShare: isShown ? shareOf(young, earned) : null,
    grantShare: shareOf(BigInt(sums.fromGrant), BigInt(sums.balance)),
  };
}

const fold = oneValue<number, [rows: number, day: number]>(
  'karma.foldProvenance',
  'SELECT release.fold_provenance($1, $2) AS rows',
);

/** Stores the provenance of agents whose karma changed before the UTC day of `nowMs`. Returns how many rows it read. */
export async function foldProvenance(db: Db, nowMs: number): Promise<number> {
  const day = dayOf(nowMs - SETTLED_MS);
  let total = 0;
  for (let count = 0; count < BATCHES_A_RUN; count++) {
    const rows = (await fold(db, ROWS_A_BATCH, day))!;
    total += rows;
    if (rows < ROWS_A_BATCH) break;
  }
  return total;
}

interface CheckedProvenance {
  agentId: string;
  day: number;
  throughSeq: string;
  givers: number;
  earned: string;
  topGiven: string;
  youngGiven: string;
  grantSpent: string;
  last: string;
}

const AGENTS: Sliced = {
  start: '',
  statement: sql(
    'karma.verifyProvenance',
    `SELECT agent_id AS "agentId", agent_id AS last, day, through_seq AS "throughSeq", givers, earned,
            top_given AS "topGiven", young_given AS "youngGiven", grant_spent AS "grantSpent"
       FROM karma_provenance WHERE agent_id > $1 ORDER BY agent_id LIMIT 1000`,
  ),
};

interface GivenRow {
  type: string;
  from: string;
  to: string;
  amount: string;
  reference: string | null;
  voterId: string | null;
  spent: string;
  at: Date;
  /** The losers of the challenge that a payout is of, with what each lost. */
  lost: { agentId: string; amount: string }[] | null;
}

const GIVEN_ROWS = sql(
  'karma.verifyGiven',
  `SELECT r.type, r.from_account AS "from", r.to_account AS "to", r.amount, r.reference, r.voter_id AS "voterId", r.at,
          coalesce(h.from_grace, r.from_grace) AS spent,
          CASE WHEN r.type = 'stake_payout' THEN (
            SELECT json_agg(json_build_object('agentId', x.agent_id, 'amount', x.amount::text))
              FROM karma_rows f JOIN karma_holds x ON x.hold_seq = f.hold_seq
             WHERE f.reference = r.reference AND f.type = 'stake_forfeit'
               AND f.hold_seq IN (SELECT s.hold_seq FROM challenge_stakes s WHERE s.challenge_id = r.reference)) END AS lost
     FROM ((SELECT * FROM karma_rows
             WHERE from_account = $1 AND from_account NOT IN ('mint', 'pool') AND to_account <> from_account
               AND seq <= $2)
           UNION ALL
           (SELECT * FROM karma_rows
             WHERE to_account = $1 AND to_account NOT IN ('mint', 'pool') AND to_account <> from_account
               AND seq <= $2)) r
     LEFT JOIN karma_holds h ON h.hold_seq = r.hold_seq
    ORDER BY r.seq`,
);

const REGISTERED = sql(
  'karma.verifyGivers',
  'SELECT agent_id AS "agentId", registered_at AS "registeredAt" FROM agents WHERE agent_id = ANY ($1)',
);

/** Computes each stored provenance again from the ledger rows that it covers, and reports differences. */
export async function verifyProvenance(db: Db): Promise<string[]> {
  const problems: string[] = [];
  for await (const kept of slices<CheckedProvenance>(db, AGENTS)) {
    const rows = await db.query<GivenRow>(GIVEN_ROWS, [kept.agentId, kept.throughSeq]);
    const givers = [...new Set(rows.flatMap(giversOf))];
    const registered = await db.query<{ agentId: string; registeredAt: Date }>(REGISTERED, [givers]);
    const times = new Map(registered.map(({ agentId, registeredAt }) => [agentId, registeredAt.getTime()]));
    const made = foldGiven(kept.agentId, rows, times);
    const isSame =
      made.givers === kept.givers &&
      made.earned === BigInt(kept.earned) &&
      made.topGiven === BigInt(kept.topGiven) &&
      made.youngGiven === BigInt(kept.youngGiven) &&
      made.grantSpent === BigInt(kept.grantSpent);
    if (!isSame) problems.push(`account ${kept.agentId}: its provenance is not what its rows make`);
    if (problems.length >= MAX_PROBLEMS) break;
  }
  return problems;
}

const giversOf = ({ voterId, from, lost }: GivenRow): string[] => [
  ...(voterId === null ? [from] : [voterId]),
  ...(lost ?? []).map(({ agentId }) => agentId),
];

function foldGiven(agentId: string, rows: readonly GivenRow[], registered: ReadonlyMap<string, number>) {
  const given = new Map<string, { amount: bigint; young: bigint }>();
  const votedAt = new Map<string, number>();
  let grantSpent = 0n;
  const give = (giver: string, amount: bigint, atMs: number) => {
    const sums = given.get(giver) ?? { amount: 0n, young: 0n };
    const isYoung = atMs - (registered.get(giver) ?? Number.NEGATIVE_INFINITY) < YOUNG_MS;
    given.set(giver, { amount: sums.amount + amount, young: sums.young + (isYoung ? amount : 0n) });
  };
  for (const row of rows) {
    const amount = row.to === agentId ? BigInt(row.amount) : -BigInt(row.amount);
    const atMs = row.at.getTime();
    if (row.from === agentId) grantSpent += BigInt(row.spent);
    if (row.voterId !== null) {
      const vote = `${row.voterId} ${row.reference}`;
      give(row.voterId, amount, row.type === 'vote_reversal' ? (votedAt.get(vote) ?? atMs) : atMs);
      votedAt.set(vote, atMs);
    } else if (row.type === 'bounty_award' && amount > 0n) {
      give(row.from, amount, atMs);
    } else if (row.type === 'stake_payout') {
      const lost = sumByAgent(row.lost ?? []);
      const total = [...lost.values()].reduce((sum, each) => sum + each, 0n);
      for (const [loser, each] of lost) give(loser, (amount * each) / total, atMs);
    }
  }
  given.delete(agentId);
  const sums = [...given.values()].filter((each) => each.amount > 0n);
  return {
    givers: sums.length,
    earned: sums.reduce((sum, { amount }) => sum + amount, 0n),
    topGiven: -sums.reduce((top, { amount }) => smaller(top, -amount), 0n),
    youngGiven: sums.reduce((sum, { amount, young }) => (young > 0n ? sum + smaller(amount, young) : sum), 0n),
    grantSpent,
  };
}

function sumByAgent(lost: readonly { readonly agentId: string; readonly amount: string }[]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { agentId, amount } of lost) sums.set(agentId, (sums.get(agentId) ?? 0n) + BigInt(amount));
  return sums;
}
