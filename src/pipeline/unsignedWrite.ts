import type { UnsignedWriteOperation } from '../operation/operation.ts';
import { isDefiniteFailure } from '../platform/postgres/postgres.ts';
import { NO_CHANGE } from '../recording/effect.ts';
import { recordOf } from './record.ts';
import type { Answer, Run } from './run.ts';

/** Carries out a write whose signature is in its input. */
export async function writeUnsigned(run: Run, op: UnsignedWriteOperation): Promise<Answer> {
  const input = run.validInput(op);
  const { db } = run.kernel;
  const effect = await op.decide(run.context(db), input);
  const { change = NO_CHANGE, proof, status = op.status } = effect;
  // It was done before, and nothing is left to record.
  if (effect.free) return { status, body: effect.present(null) };
  const facts = {
    op,
    agentId: proof.agentId,
    nonce: null,
    signedAt: null,
    counter: null,
    isReserved: true,
    isPreview: false,
    receipt: {},
    rateLimitIfFree: undefined,
    fence: 0,
    keyEpoch: proof.keyEpoch,
    laterKey: null,
  };
  const record = recordOf(run, facts, effect, proof);
  run.commitMayFollow = true;
  // Such writes lock the same row.
  const send = () => db.write(change.statement, record, op.name);
  const { answer } = await run.statements.time(change.statement.name, send).catch((error: unknown) => {
    if (isDefiniteFailure(error)) run.commitMayFollow = false;
    throw error;
  });
  return { status, body: effect.present(answer) };
}
