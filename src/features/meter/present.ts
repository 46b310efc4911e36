import type { Grant, Receipt, SignedReceipt } from './schemas.ts';
import type { GrantRow, ReceiptRow } from './store.ts';

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
