import { Refusal, unavailable } from '../operation/errors.ts';
import type { Operation, PreviewOperation, ReadOperation, WriteOperation } from '../operation/operation.ts';
import { knownField } from '../operation/schemas.ts';
import { isPostgresUnavailable, isRetryable } from '../platform/postgres/postgres.ts';
import { Busy } from '../platform/postgres/semaphore.ts';
import { verifySignature } from './authenticate.ts';
import { refusalOfFailure } from './failure.ts';
import { type Answered, read, textOf } from './read.ts';
import { refusalHeaders } from './refusalHeaders.ts';
import { type Answer, type Kernel, type OperationRequest, Run } from './run.ts';
import { writeUnsigned } from './unsignedWrite.ts';
import { SignedWrite } from './write.ts';

export type { Kernel, OperationRequest } from './run.ts';

export interface OperationResponse extends Answered {
  readonly headers: Readonly<Record<string, string>>;
  readonly agentId: string | undefined;
  readonly log: RequestLog;
}

/** What the log says of a request beside its answer. Nothing of it is on the wire but `field`. */
export interface RequestLog {
  /** As far as the operation's own input knows the names in it: whoever asks may make up others. */
  readonly field?: string | undefined;
  /** Why it was refused, in constant words. */
  readonly reason?: string | undefined;
  readonly statements?: number;
  /** Milliseconds that the statements took, each by itself. */
  readonly dbMs?: number;
}

/**
 * The one pipeline, behind the concurrency limit: authentication, validation, nonce and counter, transaction, receipt, error
 * mapping, output check. Answers in the order of docs/errors#order-of-refusals, in which a replay goes before the form, and
 * never throws.
 */
export async function execute(kernel: Kernel, op: Operation, request: OperationRequest): Promise<OperationResponse> {
  // No fault: it is counted, and not logged as one.
  if (!kernel.concurrency.enter(op)) return answerRefusal(kernel, op, unavailable('too many under way'));
  try {
    return await executeInside(kernel, op, request);
  } finally {
    kernel.concurrency.leave(op);
  }
}

async function executeInside(kernel: Kernel, op: Operation, request: OperationRequest): Promise<OperationResponse> {
  const run = new Run(kernel, op, request);
  try {
    const answered = await answer(run, op);
    // Spread last: properties that follow a spread take V8 two microseconds each.
    return { headers: run.headers, agentId: run.signed?.caller.agentId, log: costOf(run), ...answered };
  } catch (error) {
    const mapped = op.kind === 'unsigned-write' ? refusalOfFailure(op, error) : error;
    return answerRefusal(kernel, op, refusalOf(kernel, request.requestId, mapped), run);
  }
}

function answerRefusal(kernel: Kernel, op: Operation, refusal: Refusal, run?: Run): OperationResponse {
  const { status, body, details } = refusal;
  const headers = refusalHeaders(refusal, {
    // What only MCP has is none of the table, and has no page.
    op: kernel.operations.has(op.name) ? op : undefined,
    method: op.method,
    nonce: run?.signed?.nonce,
    commitMayFollow: run?.commitMayFollow ?? false,
  });
  const log = { field: knownField(op, details.field), reason: details.reason, ...(run ? costOf(run) : {}) };
  return {
    status,
    text: JSON.stringify(body),
    token: body.error,
    headers: { ...run?.headers, ...headers },
    agentId: run?.signed?.caller.agentId,
    log,
  };
}

function costOf({ statements: { count, ms } }: Run): RequestLog {
  return { statements: count, dbMs: Math.round(ms * 100) / 100 };
}

async function answer(run: Run, op: Operation): Promise<Answered> {
  run.signed = await verifySignature(run, op);
  if (op.kind === 'read') return read(run, op);
  const { status, body } = await write(run, op);
  return { status, text: textOf(run, op, body) };
}

async function write(run: Run, op: Exclude<Operation, ReadOperation>): Promise<Answer> {
  switch (op.kind) {
    case 'unsigned-write':
      return writeUnsigned(run, op);
    case 'write':
      return writeSigned(run, op, new SignedWrite(run, op, op, run.signed!));
    case 'preview':
      return writeSigned(run, op, new SignedWrite(run, op, op.of, run.signed!));
  }
}

async function writeSigned(
  { kernel: { concurrency }, signed }: Run,
  op: WriteOperation | PreviewOperation,
  signedWrite: SignedWrite,
): Promise<Answer> {
  const { agentId } = signed!.caller;
  if (!concurrency.enterAs(op, agentId)) throw new Busy('too many of this agent under way');
  try {
    return await signedWrite.answer();
  } finally {
    concurrency.leaveAs(op, agentId);
  }
}

/** What the caller is told of an error; faults are reported on the way. */
export function refusalOf(kernel: Kernel, requestId: string, error: unknown): Refusal {
  if (error instanceof Refusal && error.token !== 'unavailable') return error;
  // No fault, as at the limit of all agents: a crowd that wants one thing is turned away, thousands of times.
  if (error instanceof Busy) return unavailable(error.message);
  kernel.onFault(error, requestId);
  if (error instanceof Refusal) return error;
  const passes = isPostgresUnavailable(error) || isRetryable(error);
  return passes ? unavailable('the database') : new Refusal('internal');
}
