import { Refusal, refusalOfRaised } from '../operation/errors.ts';
import type { UnsignedWriteOperation, WriteOperation } from '../operation/operation.ts';
import { brokenConstraint, raised } from '../platform/postgres/postgres.ts';

/** The refusal that a failed statement stands for: a broken constraint that the operation names, or what was raised. */
export function refusalOfFailure(op: WriteOperation | UnsignedWriteOperation, error: unknown): unknown {
  if (error instanceof Refusal) return error;
  const constraint = brokenConstraint(error);
  const declared = constraint === undefined ? undefined : op.constraints?.[constraint];
  return declared?.().because(constraint) ?? refusalOfRaised(raised(error)) ?? error;
}
