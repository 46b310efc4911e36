import { notFound } from '../../operation/errors.ts';
import { type Facts, read } from '../../operation/operation.ts';
import { createdAt, identifier, Joi } from '../../operation/schemas.ts';
import { namedObject, object } from '../../operation/shape.ts';
import { oneRow } from '../../platform/postgres/postgres.ts';

interface ReceiptRow {
  readonly operation: string;
  readonly status: number;
  readonly facts: string;
  readonly created_at: Date;
}

/** Returns the receipt of an agent's accepted write; the newest one if the agent used a nonce several times. */
const writeReceipt = oneRow<ReceiptRow, [agentId: string, nonce: string]>(
  'writes.byNonce',
  `SELECT operation, status, facts, created_at FROM write_receipts WHERE agent_id = $1 AND nonce = $2
   ORDER BY created_at DESC LIMIT 1`,
);

/** Returns the outcome of a write whose answer was lost (docs/reconcile). It always reads from the primary. */
const readWrite = read({
  name: 'write.read',
  path: '/v1/writes/{nonce}',
  auth: 'signed',
  mcpTool: 'get_write',
  summary: 'Read the status and receipt of your own accepted write, by its nonce.',
  refusals: {
    not_found:
      'No accepted write of yours has this nonce. Until 330 seconds after its timestamp, the write may still be in progress: ask again. From then until 24 hours after its timestamp, this answer is final: the write was not stored.',
  },
  input: object({ nonce: identifier('nonce') }),
  output: namedObject('Write', 'The outcome of a write.', {
    status: Joi.number().description('HTTP status of the original response.'),
    receipt: Joi.object<object>().description('The receipt, as in the original response.'),
    createdAt: createdAt(),
  }),
  handle: async (ctx, { nonce }) => {
    const row = await writeReceipt(ctx.db, ctx.caller.agentId, nonce);
    if (!row) throw notFound();
    const { rateLimit, ...facts } = JSON.parse(row.facts) as Facts;
    const receipt = await ctx.rebuildReceipt(row.operation, facts);
    const counted = rateLimit === undefined ? receipt : { ...receipt, rateLimit };
    return { status: row.status, receipt: counted, createdAt: row.created_at.toISOString() };
  },
});

export const reconcileOperations = [readWrite];
