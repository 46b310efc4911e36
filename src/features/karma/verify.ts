import { type Db, sql } from '../../platform/postgres/postgres.ts';
import { MAX_PROBLEMS, type Sliced, slices } from '../../platform/postgres/slices.ts';
import {
  categoryOf,
  type DecayTable,
  dayOf,
  decayTable,
  type HoldType,
  type KarmaAccount,
  type KarmaCategory,
  type KarmaKind,
  kindOf,
  releaseParts,
  roll,
  splitAdjustment,
  splitHold,
} from '../../protocol/karmaFormat.ts';
import { type KarmaRow, karmaRow, poolBalance, type StoredRow, storedRules } from './store.ts';

export interface HoldSource {
  readonly type: HoldType;
  /**
   * A SELECT of hold_seq, agent_id and amount of what is open: questions with a bounty, unsettled challenges, stakes.
   */
  readonly openHolds: string;
}

const PAGE = 5_000;

/**
 * Folds the rows in `seq` order and compares them with the accounts (docs/karma#the-ledger). While others write, bind
 * `db` to one REPEATABLE READ transaction. Memory grows with accounts and open holds.
 */
export async function verifyLedger(db: Db, sources: readonly HoldSource[] = []): Promise<string[]> {
  const problems: string[] = [];
  const table = await readTable(db, problems);
  if (!table) return problems;
  const fold = new Fold(table, problems);
  for await (const account of slices<StoredAccount>(db, ACCOUNTS)) fold.open(account);
  for await (const row of slices<StoredRow & StoredHold>(db, ROWS)) {
    fold.apply(karmaRow(row), row);
    if (problems.length >= MAX_PROBLEMS) return problems;
  }
  await compare(db, fold, problems);
  for (const source of sources) await matchHolds(db, source, problems);
  return problems.slice(0, MAX_PROBLEMS);
}

async function readTable(db: Db, problems: string[]): Promise<DecayTable | undefined> {
  const stored = await storedRules(db);
  if (!stored) {
    problems.push('no half-life is stored');
    return undefined;
  }
  const table = decayTable(stored.halfLifeDays);
  if (stored.factors.join() !== table.factors.join())
    problems.push('the stored decay table is not that of the half-life');
  return table;
}

interface StoredAccount {
  agentId: string;
  grantAmount: string;
  eligibleUntil: Date;
  graceDay: number;
  openedDay: number;
  grace: string;
  main: string;
  mainDay: number;
  decayed: string;
  earned: string;
  staked: string;
  adjustment: string;
  last: string;
}

const ACCOUNTS: Sliced = {
  start: '',
  statement: sql(
    'karma.verifyAccounts',
    `SELECT agent_id AS "agentId", agent_id AS last, grant_amount AS "grantAmount", eligible_until AS "eligibleUntil",
            grace_day AS "graceDay", opened_day AS "openedDay", grace, main, main_day AS "mainDay", decayed,
            earned_events AS earned, staked_events AS staked, adjustment_events AS adjustment
       FROM karma_accounts WHERE agent_id > $1 ORDER BY agent_id LIMIT ${PAGE}`,
  ),
};

/** The stored hold that a row made or resolved; nulls for other rows. */
interface StoredHold {
  holdType: string | null;
  holdAgentId: string | null;
  holdAmount: string | null;
  holdFromGrace: string | null;
  holdDay: number | null;
  resolvedSeq: string | null;
  last: string;
}

const ROWS: Sliced = {
  start: '0',
  statement: sql(
    'karma.verifyRows',
    `SELECT r.seq, r.seq AS last, r.type, r.from_account AS "from", r.to_account AS "to", r.amount, r.day,
            r.from_grace AS "fromGrace", r.reference, r.hold_seq AS "holdSeq", r.at, h.type AS "holdType",
            h.agent_id AS "holdAgentId", h.amount AS "holdAmount", h.from_grace AS "holdFromGrace", h.day AS "holdDay",
            h.resolved_seq AS "resolvedSeq"
       FROM karma_rows r LEFT JOIN karma_holds h ON h.hold_seq = coalesce(r.hold_seq, r.seq)
      WHERE r.seq > $1 ORDER BY r.seq LIMIT ${PAGE}`,
  ),
};

interface FoldedAccount extends KarmaAccount {
  readonly grantAmount: bigint;
  readonly events: Record<KarmaCategory, number>;
}

interface OpenHold {
  readonly agentId: string;
  readonly type: string;
  readonly amount: bigint;
  readonly fromGrace: bigint;
  readonly fromMain: bigint;
  readonly day: number;
}

/** The ledger rebuilt from its rows alone. */
class Fold {
  readonly accounts = new Map<string, FoldedAccount>();
  readonly holds = new Map<bigint, OpenHold>();
  holdRows = 0;
  pool = 0n;
  minted = 0n;
  readonly #table: DecayTable;
  readonly #problems: string[];

  constructor(table: DecayTable, problems: string[]) {
    this.#table = table;
    this.#problems = problems;
  }

  open(stored: StoredAccount): void {
    if (stored.graceDay !== dayOf(stored.eligibleUntil.getTime())) {
      this.#problems.push(`account ${stored.agentId}: graceDay is not the day of eligibleUntil`);
    }
    this.accounts.set(stored.agentId, {
      grantAmount: BigInt(stored.grantAmount),
      graceDay: stored.graceDay,
      grace: 0n,
      main: 0n,
      mainDay: stored.openedDay,
      decayed: 0n,
      events: { earned: 0, staked: 0, adjustment: 0 },
    });
  }

  apply(row: KarmaRow, stored: StoredHold): void {
    const kind = kindOf(row.type);
    const complain = (problem: string) => this.#problems.push(`row ${row.seq} (${row.type}): ${problem}`);
    const hold = row.holdSeq === null ? undefined : this.holds.get(row.holdSeq);
    const rolled = this.#rolled(row, kind, hold);
    if (!kind) return void complain('unknown type');
    if (rolled && !rolled.account) return void complain('no such account');
    if (row.day !== Math.max(dayOf(row.at.getTime()), rolled?.mainDay ?? 0, hold?.day ?? 0)) complain('wrong day');

    if (kind === 'hold') this.#hold(row, stored, complain);
    else if (kind === 'move') this.#move(row, complain);
    else if (!hold) complain('resolves no open hold');
    else {
      if (hold.agentId !== row.from || hold.type.split('_')[0] !== row.type.split('_')[0]) complain('not its hold');
      if (stored.resolvedSeq !== String(row.seq)) complain('its hold is stored as resolved by another row');
      this.holds.delete(row.holdSeq!);
      if (kind === 'release') this.#release(row, hold, complain);
      else this.#post(row, hold, complain);
    }
    for (const agentId of new Set([row.from, row.to])) this.#count(agentId, row);
    if (this.pool < 0n) complain('the pool is negative');
  }

  /** Rolls the account of a row; undefined if the row rolls none. */
  #rolled(row: KarmaRow, kind: KarmaKind | undefined, hold: OpenHold | undefined) {
    const agentId = kind === 'post' || row.from === 'mint' || row.from === 'pool' ? row.to : row.from;
    if (agentId === 'pool') return undefined;
    const account = this.accounts.get(agentId);
    const day = Math.max(dayOf(row.at.getTime()), account?.mainDay ?? 0, hold?.day ?? 0);
    if (account) this.accounts.set(agentId, roll(account, day, this.#table));
    return { account, mainDay: account?.mainDay };
  }

  #change(agentId: string, grace: bigint, main: bigint, complain: (problem: string) => void, decayed = 0n): void {
    const account = this.accounts.get(agentId)!;
    const next = {
      ...account,
      grace: account.grace + grace,
      main: account.main + main,
      decayed: account.decayed + decayed,
    };
    if (next.grace < 0n || next.main < 0n) complain('the account is negative');
    this.accounts.set(agentId, next);
  }

  #hold(row: KarmaRow, stored: StoredHold, complain: (problem: string) => void): void {
    const split = splitHold(this.accounts.get(row.from)!, row.amount);
    if (!split) complain('holds more than is available');
    else if (split.fromGrace !== row.fromGrace) complain('takes the wrong part from the grant');
    const fromMain = row.amount - row.fromGrace;
    this.#change(row.from, -row.fromGrace, -fromMain, complain);
    const { type, amount, fromGrace, day } = row;
    this.holds.set(row.seq, { agentId: row.from, type, amount, fromGrace, fromMain, day });
    this.holdRows++;
    const same =
      stored.holdType === type &&
      stored.holdAgentId === row.from &&
      stored.holdAmount === String(amount) &&
      stored.holdFromGrace === String(fromGrace) &&
      stored.holdDay === day;
    if (!same) complain('is stored as another hold');
  }

  #release(row: KarmaRow, hold: OpenHold, complain: (problem: string) => void): void {
    const back = releaseParts(hold, this.accounts.get(row.from)!.graceDay, row.day, this.#table);
    if (row.amount !== back.toGrace + back.toMain || row.fromGrace !== back.toGrace) complain('returns a wrong amount');
    this.#change(row.from, row.fromGrace, row.amount - row.fromGrace, complain, hold.amount - row.amount);
  }

  #post(row: KarmaRow, hold: OpenHold, complain: (problem: string) => void): void {
    if (row.amount !== hold.amount) complain('does not pay the face of its hold');
    if (row.to === 'pool') this.pool += row.amount;
    else this.#change(row.to, 0n, row.amount, complain);
  }

  #move(row: KarmaRow, complain: (problem: string) => void): void {
    if (row.from === 'pool') this.pool -= row.amount;
    else this.minted += row.from === 'mint' ? row.amount : -row.amount;
    if (row.type === 'registration_grant') {
      if (row.amount !== this.accounts.get(row.to)!.grantAmount) complain('is not the grant of the account');
      this.#change(row.to, row.amount, 0n, complain);
    } else if (row.to !== 'mint') {
      this.#change(row.to, 0n, row.amount, complain);
    } else {
      const adjusts = row.type === 'enforcement_adjustment';
      const fromGrace = adjusts ? splitAdjustment(this.accounts.get(row.from)!, row.amount).fromGrace : 0n;
      if (row.fromGrace !== fromGrace) complain('takes the wrong part from the grant');
      this.#change(row.from, -row.fromGrace, row.fromGrace - row.amount, complain);
    }
  }

  #count(agentId: string, row: KarmaRow): void {
    const account = this.accounts.get(agentId);
    if (account) account.events[categoryOf(row.type)]++;
  }
}

const HOLD_TOTALS = sql(
  'karma.verifyHoldTotals',
  `SELECT count(*) AS held, count(*) FILTER (WHERE resolved_seq IS NULL) AS open,
          coalesce(sum(amount) FILTER (WHERE resolved_seq IS NULL), 0)::text AS face
     FROM karma_holds`,
);

/** Compares the stored accounts and sums with those of the rows, and everything with what was minted. */
async function compare(db: Db, fold: Fold, problems: string[]): Promise<void> {
  let total = 0n;
  for await (const stored of slices<StoredAccount>(db, ACCOUNTS)) {
    const folded = fold.accounts.get(stored.agentId);
    if (!folded || !sameAccount(stored, folded)) problems.push(`account ${stored.agentId}: not what its rows make`);
    total += BigInt(stored.grace) + BigInt(stored.main) + BigInt(stored.decayed);
  }
  const [holds] = await db.query<{ held: string; open: string; face: string }>(HOLD_TOTALS);
  if (Number(holds!.held) !== fold.holdRows) problems.push('there are holds without a row');
  if (Number(holds!.open) !== fold.holds.size) problems.push('open holds are not those that no row resolved');
  const pool = await poolBalance(db);
  if (pool !== fold.pool) problems.push(`the pool is stored as ${pool}, its rows make ${fold.pool}`);
  total += BigInt(holds!.face) + pool;
  if (total !== fold.minted) problems.push(`accounts, holds and pool are ${total}, minted were ${fold.minted}`);
}

function sameAccount(stored: StoredAccount, folded: FoldedAccount): boolean {
  return (
    BigInt(stored.grace) === folded.grace &&
    BigInt(stored.main) === folded.main &&
    stored.mainDay === folded.mainDay &&
    BigInt(stored.decayed) === folded.decayed &&
    Number(stored.earned) === folded.events.earned &&
    Number(stored.staked) === folded.events.staked &&
    Number(stored.adjustment) === folded.events.adjustment
  );
}

async function matchHolds(db: Db, source: HoldSource, problems: string[]): Promise<void> {
  const statement = sql(
    `karma.verifyHolds.${source.type}`,
    `SELECT coalesce(h.hold_seq, s.hold_seq)::text AS seq
       FROM (SELECT hold_seq, agent_id, amount, row_number() OVER (PARTITION BY hold_seq) AS n
               FROM (${source.openHolds}) o) s
       FULL JOIN (SELECT * FROM karma_holds WHERE resolved_seq IS NULL AND type = '${source.type}') h
         ON h.hold_seq = s.hold_seq AND h.agent_id = s.agent_id AND h.amount = s.amount AND s.n = 1
      WHERE h.hold_seq IS NULL OR s.hold_seq IS NULL LIMIT ${MAX_PROBLEMS}`,
  );
  for (const { seq } of await db.query<{ seq: string }>(statement)) {
    problems.push(`hold ${seq} (${source.type}): it and what it is held for do not match`);
  }
}
