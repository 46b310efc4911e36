import { type Db, sql } from '../../platform/postgres/postgres.ts';

export interface WriteReceiptRow {
  readonly operation: string;
  readonly status: number;
  readonly facts: string;
  readonly created_at: Date;
}

const BY_NONCE = sql(
  'writes.byNonce',
  `SELECT operation, status, facts, created_at FROM write_receipts WHERE agent_id = $1 AND nonce = $2
   ORDER BY created_at DESC LIMIT 1`,
);

/** The receipt of an agent's accepted write, of the newest where it gave several one nonce, or undefined. */
export async function writeReceipt(db: Db, agentId: string, nonce: string): Promise<WriteReceiptRow | undefined> {
  return (await db.query<WriteReceiptRow>(BY_NONCE, [agentId, nonce]))[0];
}
