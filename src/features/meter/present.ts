import type { Receipt } from './receipts.ts';
import type { GrantRow, ReceiptRow } from './store.ts';

/** A receipt with its signature (interface 2.7). */
export interface SignedReceipt {
  agentId: string;
  day: string;
  runId: string | null;
  receiptSignature: string | null;
  receiptSigningPublicKey: string | null;
  receipt: Receipt;
}

export interface Grant {
  agentId: string;
  day: string;
  tokenAllowance: number;
  model: string;
  fixtureHash: string;
  grantedAt: string;
}

export function presentReceipt(row: ReceiptRow): SignedReceipt {
  return {
    agentId: row.agent_id,
    day: row.day,
    runId: row.run_id,
    receiptSignature: row.signature,
    receiptSigningPublicKey: row.signing_public_key,
    receipt: JSON.parse(row.receipt) as Receipt,
  };
}

export function presentGrant(row: GrantRow): Grant {
  return {
    agentId: row.agent_id,
    day: row.day,
    tokenAllowance: row.token_allowance,
    model: row.model,
    fixtureHash: row.fixture_hash,
    grantedAt: row.granted_at.toISOString(),
  };
}
