import type { CursorPosition } from '../../platform/codec/cursor.ts';
import { type Db, pageOf, sql } from '../../platform/postgres/postgres.ts';
import { effect } from '../../recording/effect.ts';
import type { Run, SealedReceipt } from './receipts.ts';
import { LEASE_SECONDS, MAX_PAGE } from './rules.ts';

export interface ReceiptRow {
  readonly agent_id: string;
  readonly day: string;
  /** Null in rows that are older than run ids. */
  readonly run_id: string | null;
  readonly receipt: string;
  readonly signature: string | null;
  readonly signing_public_key: string | null;
  readonly minted_at: Date;
}

export interface GrantRow {
  readonly agent_id: string;
  readonly day: string;
  readonly token_allowance: number;
  readonly model: string;
  readonly fixture_hash: string;
  readonly granted_at: Date;
}

export interface RunRow extends Run {
  readonly progress: string;
  readonly claim: string;
}

/** Which receipts of the ledger; times in unix seconds, inclusive. */
export interface LedgerFilter {
  readonly agentId: string | null;
  readonly day: string | null;
  readonly since: number;
  readonly until: number;
}

/** Those of `RunRow`, of `meter_runs r`. */
const RUN_COLUMNS = `r.run_id, r.agent_id, r.day, r.task, r.model, r.fixture_hash, r.token_allowance, r.progress, r.claim`;
const COLUMNS = 'agent_id, day, run_id, receipt, signature, signing_public_key, minted_at';

const OF_DAY = sql('meter.ofDay', `SELECT ${COLUMNS} FROM meter_receipts WHERE agent_id = $1 AND day = $2`);
const OF_RUN = sql('meter.ofRun', `SELECT ${COLUMNS} FROM meter_receipts WHERE run_id = $1`);
const OVERVIEW = sql(
  'meter.overview',
  `SELECT count(*)::integer AS "receiptCount",
          (SELECT run_id FROM meter_receipts WHERE agent_id = $1 AND run_id IS NOT NULL
           ORDER BY minted_at DESC, run_id DESC LIMIT 1) AS "latestRunId"
   FROM meter_receipts WHERE agent_id = $1`,
);
const GRANT_OF_DAY = sql(
  'meter.grantOfDay',
  `SELECT agent_id, day, token_allowance, model, fixture_hash, granted_at FROM meter_grants
   WHERE agent_id = $1 AND day = $2`,
);
const CLAIM = sql('meter.claim', `SELECT ${RUN_COLUMNS} FROM release.claim_meter_run($1, $2, $3, $4) r`);
const SAVE = sql(
  'meter.save',
  `UPDATE meter_runs SET progress = $3, lease_until = clock_timestamp() + make_interval(secs => $4)
   WHERE run_id = $1 AND claim = $2 AND NOT ended RETURNING run_id`,
);
const LOST = sql(
  'meter.lost',
  `SELECT ${RUN_COLUMNS} FROM meter_runs r WHERE r.claim IS NOT NULL AND NOT r.ended AND r.lease_until < clock_timestamp()
   ORDER BY r.lease_until LIMIT $1`,
);
const MINT = sql('meter.mint', 'SELECT release.mint_meter_receipt($1, $2, $3, $4, $5, $6, $7) AS minted');

export const GRANT_METER = effect('meter.grant', 'release.grant_meter', {
  agent_id: 'text',
  day: 'text',
  token_allowance: 'integer',
  model: 'text',
  fixture_hash: 'text',
  daily_tokens: 'bigint',
  at: 'timestamptz',
});
export const REQUEST_RUN = effect('meter.requestRun', 'release.request_meter_run', {
  run_id: 'text',
  agent_id: 'text',
  day: 'text',
  task: 'text',
  model: 'text',
  fixture_hash: 'text',
  progress: 'text',
});

export async function receiptOfDay(db: Db, agentId: string, day: string): Promise<ReceiptRow | undefined> {
  return (await db.query<ReceiptRow>(OF_DAY, [agentId, day]))[0];
}

export async function receiptOfRun(db: Db, runId: string): Promise<ReceiptRow | undefined> {
  return (await db.query<ReceiptRow>(OF_RUN, [runId]))[0];
}

/** Receipts with a run id, newest mint time first. Each set of filters is a statement of its own, for the plan of its index. */
export async function receiptLedger(
  db: Db,
  { agentId, day, since, until }: LedgerFilter,
  position: CursorPosition | null,
  limit: number,
): Promise<ReceiptRow[]> {
  // `until` is a whole second: a first page begins before the next.
  const before = position ? [new Date(Number(position.at)), position.runId] : [new Date((until + 1) * 1_000), ''];
  const values: unknown[] = [new Date(since * 1_000), ...before, limit];
  const conditions = ['run_id IS NOT NULL', 'minted_at >= $1', '(minted_at, run_id) < ($2, $3)'];
  let name = 'meter.ledger';
  const restrict = (column: 'agent_id' | 'day', value: string | null) => {
    if (value === null) return;
    name += `.${column}`;
    conditions.push(`${column} = $${values.push(value)}`);
  };
  restrict('agent_id', agentId);
  restrict('day', day);
  const rows = `SELECT ${COLUMNS} FROM meter_receipts WHERE ${conditions.join(' AND ')}`;
  const order = 'minted_at DESC, run_id DESC';
  return db.query<ReceiptRow>(sql(name, pageOf(rows, { order, limit: '$4', most: MAX_PAGE + 1 })), values);
}

export async function receiptOverview(db: Db, agentId: string) {
  const [row] = await db.query<{ receiptCount: number; latestRunId: string | null }>(OVERVIEW, [agentId]);
  return row!;
}

export async function grantOfDay(db: Db, agentId: string, day: string): Promise<GrantRow | undefined> {
  return (await db.query<GrantRow>(GRANT_OF_DAY, [agentId, day]))[0];
}

/** The run, for the one caller that may make it; undefined when it was claimed before. */
export async function claimRun(db: Db, outboxId: string, runId: string, claim: string): Promise<RunRow | undefined> {
  return (await db.query<RunRow>(CLAIM, [outboxId, runId, claim, LEASE_SECONDS]))[0];
}

/** Stores how far a run has come and renews its lease; false when it has been ended by somebody else. */
export async function saveProgress(db: Db, { run_id, claim }: RunRow, progress: string): Promise<boolean> {
  return (await db.query(SAVE, [run_id, claim, progress, LEASE_SECONDS])).length === 1;
}

/** Runs whose worker has been silent for too long. */
export async function lostRuns(db: Db, limit: number): Promise<RunRow[]> {
  return db.query<RunRow>(LOST, [limit]);
}

/** Ends a run with its receipt; false when it has ended already, or, for a lost one, got further meanwhile. */
export async function mintReceipt(
  db: Db,
  { run_id, claim }: RunRow,
  { text, signature, signingPublicKey, mintedAt }: SealedReceipt,
  { lost }: { lost: boolean },
): Promise<boolean> {
  const values = [run_id, claim, lost, text, signature, signingPublicKey, mintedAt];
  const [row] = await db.query<{ minted: boolean }>(MINT, values);
  return row!.minted;
}
