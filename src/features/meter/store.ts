import type { CursorPosition } from '../../platform/codec/cursor.ts';
import { type Db, manyRows, oneRow, oneValue, pageOf, sql } from '../../platform/postgres/postgres.ts';
import { effect } from '../../recording/effect.ts';
import type { Run, SealedReceipt } from './receipts.ts';
import { LEASE_SECONDS, MAX_PAGE } from './rules.ts';
import type { Grant, MeterOverview, SignedReceipt } from './schemas.ts';

export interface ReceiptRow extends SignedReceipt {
  readonly mintedAt: Date;
}

/** A claimed run; `progress` is JSON. */
export interface RunRow extends Run {
  readonly progress: string;
  readonly claim: string;
}

const RUN_COLUMNS = `r.run_id AS "runId", r.agent_id AS "agentId", r.day, r.task, r.model, r.fixture_hash AS "fixtureHash",
  r.token_allowance AS "tokenAllowance", r.progress, r.claim`;
const COLUMNS = `agent_id AS "agentId", day, run_id AS "runId", signature AS "receiptSignature",
  signing_public_key AS "receiptSigningPublicKey", receipt::json AS receipt, minted_at AS "mintedAt"`;

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

export const receiptOfDay = oneRow<ReceiptRow, [agentId: string, day: string]>(
  'meter.ofDay',
  `SELECT ${COLUMNS} FROM meter_receipts WHERE agent_id = $1 AND day = $2`,
);

export const receiptOfRun = oneRow<ReceiptRow, [runId: string]>(
  'meter.ofRun',
  `SELECT ${COLUMNS} FROM meter_receipts WHERE run_id = $1`,
);

interface LedgerFilter {
  readonly agentId: string | null;
  readonly day: string | null;
  /** Unix seconds, inclusive, like `until`. */
  readonly since: number;
  readonly until: number;
}

/**
 * Returns receipts with a run id, latest first. Each combination of filters is a statement of its own with its own
 * plan.
 */
export async function receiptLedger(
  db: Db,
  { agentId, day, since, until }: LedgerFilter,
  position: CursorPosition | null,
  limit: number,
): Promise<ReceiptRow[]> {
  // `until` is a whole second: the first page begins before the next second.
  const before = position ? [new Date(Number(position.at)), position.runId] : [new Date((until + 1) * 1_000), ''];
  const values: unknown[] = [new Date(since * 1_000), ...before, limit];
  const ofAgent = agentId === null ? '' : `AND agent_id = $${values.push(agentId)}`;
  const ofDay = day === null ? '' : `AND day = $${values.push(day)}`;
  const rows = `SELECT ${COLUMNS} FROM meter_receipts
    WHERE run_id IS NOT NULL AND minted_at >= $1 AND (minted_at, run_id) < ($2, $3) ${ofAgent} ${ofDay}`;
  const order = 'minted_at DESC, run_id DESC';
  const name = `meter.ledger${ofAgent && '.agent_id'}${ofDay && '.day'}`;
  return db.query<ReceiptRow>(sql(name, pageOf(rows, { order, limit: '$4', most: MAX_PAGE + 1 })), values);
}

export const receiptOverview = oneRow<MeterOverview, [agentId: string]>(
  'meter.overview',
  `SELECT count(*)::integer AS "receiptCount",
          (SELECT run_id FROM meter_receipts WHERE agent_id = $1 AND run_id IS NOT NULL
           ORDER BY minted_at DESC, run_id DESC LIMIT 1) AS "latestRunId"
   FROM meter_receipts WHERE agent_id = $1`,
);

export const grantOfDay = oneRow<
  Omit<Grant, 'grantedAt'> & { readonly grantedAt: Date },
  [agentId: string, day: string]
>(
  'meter.grantOfDay',
  `SELECT agent_id AS "agentId", day, token_allowance AS "tokenAllowance", model, fixture_hash AS "fixtureHash",
          granted_at AS "grantedAt"
   FROM meter_grants WHERE agent_id = $1 AND day = $2`,
);

const claim = oneRow<RunRow, [outboxId: string, runId: string, claim: string, leaseSeconds: number]>(
  'meter.claim',
  `SELECT ${RUN_COLUMNS} FROM release.claim_meter_run($1, $2, $3, $4) r`,
);

export const claimRun = (db: Db, outboxId: string, runId: string, token: string) =>
  claim(db, outboxId, runId, token, LEASE_SECONDS);

const save = oneValue<string, [runId: string, claim: string, progress: string, leaseSeconds: number]>(
  'meter.save',
  `UPDATE meter_runs SET progress = $3, lease_until = clock_timestamp() + make_interval(secs => $4)
   WHERE run_id = $1 AND claim = $2 AND NOT ended RETURNING run_id`,
);

/** Stores the progress of a run and renews its lease; false if the run was ended elsewhere. */
export const saveProgress = async (db: Db, run: RunRow, progress: string): Promise<boolean> =>
  (await save(db, run.runId, run.claim, progress, LEASE_SECONDS)) !== undefined;

export const lostRuns = manyRows<RunRow, [limit: number]>(
  'meter.lost',
  `SELECT ${RUN_COLUMNS} FROM meter_runs r WHERE r.claim IS NOT NULL AND NOT r.ended AND r.lease_until < clock_timestamp()
   ORDER BY r.lease_until LIMIT $1`,
);

const mint = oneValue<
  boolean,
  [
    runId: string,
    claim: string,
    lost: boolean,
    receipt: string,
    signature: string | null,
    publicKey: string | null,
    at: Date,
  ]
>('meter.mint', 'SELECT release.mint_meter_receipt($1, $2, $3, $4, $5, $6, $7) AS minted');

/** Ends a run with its receipt; false if it has ended already, or a lost run has made progress since. */
export const mintReceipt = async (
  db: Db,
  { runId, claim }: RunRow,
  { text, signature, signingPublicKey, mintedAt }: SealedReceipt,
  { lost }: { lost: boolean },
): Promise<boolean> => (await mint(db, runId, claim, lost, text, signature, signingPublicKey, mintedAt))!;
