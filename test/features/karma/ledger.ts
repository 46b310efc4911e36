// The steps of the ledger that the service takes within larger functions of its own, one by one for the tests.

import { type KarmaRow, karmaRow, type Moved, type StoredRow } from '../../../src/features/karma/store.ts';
import { type Db, sql } from '../../../src/platform/postgres/postgres.ts';
import type { HoldType } from '../../../src/protocol/karmaFormat.ts';

const LOCK = sql('test.karma.lock', 'SELECT release.karma_lock($1)');

/** Locks accounts in their one order: first of all, when one transaction moves the karma of several agents. */
export async function lockAccounts(db: Db, agentIds: readonly string[]): Promise<void> {
  await db.query(LOCK, [agentIds]);
}

const OPEN_ACCOUNT = sql('test.karma.openAccount', 'SELECT release.karma_open_account($1, $2, $3, $4) AS seq');

/** Opens an agent's account with the starter grant (micro-karma); returns the grant's row, null when there is none. */
export async function openAccount(
  db: Db,
  account: { agentId: string; grant: bigint; eligibleUntil: Date },
  at: Date,
): Promise<bigint | null> {
  const [row] = await db.query<{ seq: string | null }>(OPEN_ACCOUNT, [
    account.agentId,
    account.grant,
    account.eligibleUntil,
    at,
  ]);
  return row!.seq === null ? null : BigInt(row!.seq);
}

const HOLD = sql('test.karma.hold', 'SELECT release.karma_hold($1, $2, $3, $4, $5) AS seq');

/** Escrows `amount` micro-karma; returns the number of the hold. AF402 when less is available. */
export async function hold(
  db: Db,
  escrow: { agentId: string; amount: bigint; type: HoldType; reference: string },
  at: Date,
): Promise<bigint> {
  const [row] = await db.query<{ seq: string }>(HOLD, [
    escrow.agentId,
    escrow.amount,
    escrow.type,
    escrow.reference,
    at,
  ]);
  return BigInt(row!.seq);
}

const ADJUST = sql('test.karma.adjust', 'SELECT seq, amount FROM release.karma_adjust($1, $2, $3, $4)');

/** An operator's adjustment by signed micro-karma; returns what it really changed, null when nothing. */
export async function adjust(
  db: Db,
  change: { agentId: string; amount: bigint; reference: string },
  at: Date,
): Promise<Moved | null> {
  const [row] = await db.query<{ seq: string | null; amount: string | null }>(ADJUST, [
    change.agentId,
    change.amount,
    change.reference,
    at,
  ]);
  return row!.seq === null || row!.amount === null ? null : { seq: BigInt(row!.seq), amount: BigInt(row!.amount) };
}

const SETTLE = sql(
  'test.karma.settleChallenge',
  'SELECT seq FROM release.karma_settle_challenge($1, $2, $3, $4, $5, $6, $7) seq',
);
/** A statement of its own: the one that calls the function does not see what that writes. */
const ROWS = sql(
  'test.karma.rows',
  `SELECT r.seq, r.type, r.from_account AS "from", r.to_account AS "to", r.amount, r.day, r.from_grace AS "fromGrace",
          r.reference, r.hold_seq AS "holdSeq", r.at
   FROM karma_rows r WHERE r.seq = ANY ($1::bigint[]) ORDER BY r.seq`,
);

export interface ChallengeSettlement {
  readonly reference: string;
  /** The declarer's hold; null for a declaration without escrow. */
  readonly awardHold: bigint | null;
  /** Who is awarded; null releases the declarer's hold. */
  readonly winnerId: string | null;
  readonly award: bigint;
  /** The holds of all stakes; when none won, all are released. */
  readonly stakes: readonly { readonly holdSeq: bigint; readonly won: boolean }[];
}

/**
 * Settles award and stakes of a challenge at once (docs/challenges#scoring); returns the rows written. AF409 on a
 * second call.
 */
export async function settleChallenge(db: Db, settlement: ChallengeSettlement, at: Date): Promise<KarmaRow[]> {
  const written = await db.query<{ seq: string }>(SETTLE, [
    settlement.reference,
    settlement.awardHold,
    settlement.winnerId,
    settlement.award,
    settlement.stakes.map((stake) => stake.holdSeq),
    settlement.stakes.map((stake) => stake.won),
    at,
  ]);
  const rows = await db.query<StoredRow>(ROWS, [written.map(({ seq }) => seq)]);
  return rows.map(karmaRow);
}
