import { notFound } from '../../operation/errors.ts';
import { type Facts, read } from '../../operation/operation.ts';
import { createdAt, identifier, Joi } from '../../operation/schemas.ts';
import { named, object } from '../../operation/shape.ts';
import { writeReceipt } from './store.ts';

/** Reconcile by nonce (docs/reconcile): what became of a write whose answer was lost. Always read on the primary. */
const readWrite = read({
  name: 'write.read',
  path: '/v1/writes/{nonce}',
  auth: 'signed',
  mcpTool: 'get_write',
  summary: 'The status and receipt of your own accepted write, by the nonce it was signed with.',
  refusals: {
    not_found:
      'No write of yours was accepted with that nonce. It may still be under way until 330 seconds after its timestamp. From then until 24 hours after it, the write surely was not accepted.',
  },
  input: object({ nonce: identifier('nonce') }),
  output: named(
    'Write',
    'What became of your write.',
    object({
      status: Joi.number().description('HTTP status that it was answered with.'),
      receipt: Joi.object<object>().description('The receipt, as the operation answered it.'),
      createdAt: createdAt(),
    }),
  ),
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
