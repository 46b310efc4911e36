import { isDefiniteFailure } from '../platform/postgres/postgres.ts';
import { NOTHING } from './effect.ts';
import type { UnsignedWriteOperation } from './operation.ts';
import { type Recorded, recordingOf } from './recording.ts';
import type { Answer, Run } from './run.ts';

/**
 * A write without a signature in its headers: one statement, in turn with its like, which are few and want the same row.
 */
export async function writeUnsigned(run: Run, op: UnsignedWriteOperation): Promise<Answer> {
  const input = run.validInput(op);
  const turn = run.kernel.db.inTurn(op.name);
  const effect = await op.decide(run.context(turn), input);
  const { statement = NOTHING, proof, status = op.status } = effect;
  // It was done before, and nothing is left to record.
  if (effect.free) return { status, body: effect.present(null) };
  const told = {
    op,
    agentId: proof.agentId,
    nonce: null,
    signedAt: null,
    counter: null,
    isReserved: true,
    isPreview: false,
    receipt: {},
    rateLimitIfFree: null,
    fence: 0,
    keyEpoch: proof.keyEpoch,
    laterKey: null,
  };
  const send = () => turn.query<Recorded>(statement.entered, recordingOf(run, told, effect, proof));
  run.commitMayFollow = true;
  const [row] = await run.statements.time(statement.entered.name, send).catch((error: unknown) => {
    if (isDefiniteFailure(error)) run.commitMayFollow = false;
    throw error;
  });
  return { status, body: effect.present(row!.answer) };
}
