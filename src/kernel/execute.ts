import { type Db, isPostgresUnavailable } from '../platform/postgres/postgres.ts';
import { authenticate } from './authenticate.ts';
import type { Finished } from './copies.ts';
import { type ErrorToken, Refusal, unauthorized, unavailable } from './errors.ts';
import type { CopyRules, Operation, ReadOperation, SignedContext } from './operation.ts';
import { type Answer, type Kernel, type OperationRequest, Run, type SignedRequest } from './run.ts';
import { knownField, validate } from './schemas.ts';
import { tagOf } from './validator.ts';
import { refusalOfFailure, SignedWrite, writeUnsigned } from './write.ts';

export type { KeptInput, Kernel, OperationRequest } from './run.ts';

export interface OperationResponse extends Answered {
  readonly headers: Readonly<Record<string, string>>;
  readonly agentId: string | undefined;
  readonly log: RequestLog;
}

interface Answered {
  readonly status: number;
  /** The answer as JSON, in UTF-8 where it is kept. */
  readonly text: string | Buffer;
  /** Of a refusal. */
  readonly token?: ErrorToken;
  /** Of what a read answered: its weak `ETag`, computed when it is asked for. */
  readonly tag?: () => string;
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
 * The one pipeline, behind the door: authentication, nonce, counter, validation, transaction, receipt, error mapping, output check.
 * Answers in the order of docs/errors#order-of-refusals and never throws.
 */
export async function execute(kernel: Kernel, op: Operation, request: OperationRequest): Promise<OperationResponse> {
  // No fault: it is counted, and not logged as one.
  if (!kernel.door.enter(op)) return answerRefusal(op, unavailable('too many under way'));
  try {
    return await executeInside(kernel, op, request);
  } finally {
    kernel.door.leave(op);
  }
}

async function executeInside(kernel: Kernel, op: Operation, request: OperationRequest): Promise<OperationResponse> {
  const run = new Run(kernel, request);
  try {
    const answered = await answer(run, op);
    return { ...answered, headers: run.headers, agentId: run.signed?.caller.agentId, log: costOf(run) };
  } catch (error) {
    return answerRefusal(op, refusalOf(run, op, error), run);
  }
}

function answerRefusal(op: Operation, { status, body, headers, details }: Refusal, run?: Run): OperationResponse {
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
      return new SignedWrite(run, op, op, run.signed!).answer();
    case 'preview':
      return new SignedWrite(run, op, op.of, run.signed!).answer();
  }
}

/** Verifies the signature and, for reads, spends the nonce; writes spend theirs together with their counter. */
async function verifySignature(run: Run, { auth, kind }: Operation): Promise<SignedRequest | null> {
  const { credentials } = run.request;
  if (auth === 'public' || auth === 'registration-proof') return null;
  const result = await authenticate(credentials, run.now, run.kernel.directory);
  if (result.kind === 'signed') {
    if (kind !== 'read' || (await spendForRead(run, result))) return result;
  }
  if (auth !== 'optional-signature') {
    throw unauthorized(
      result.kind === 'anonymous' ? 'not signed' : result.kind === 'declined' ? result.why : 'replayed',
    );
  }
  if (result.kind !== 'anonymous') run.headers['x-svc-auth'] = 'declined';
  return null;
}

/** False when the nonce was seen before. Without Redis reads go on unchecked (docs/operations#what-can-be-lost). */
async function spendForRead({ kernel, request, now }: Run, { caller, nonce }: SignedRequest): Promise<boolean> {
  const { agentId } = caller;
  const { requestId } = request;
  const admission = { agentId, nonce, requestId, nowMs: now, counter: null, spend: true, reserve: false };
  const admitted = await kernel.gate.admit(admission).catch((error: unknown) => {
    if (error instanceof Refusal && error.token === 'unavailable') return undefined;
    throw error;
  });
  return admitted !== null;
}

async function read(run: Run, op: ReadOperation): Promise<Answered> {
  const { kernel, signed } = run;
  if (op.auth === 'operator') run.requireOperator(signed!.caller);
  const input = run.validInput(op);
  const fromReplica = op.replica && !signed ? await readFromReplica(run, op, input) : undefined;
  return fromReplica ?? readFrom(run, op, input, { name: 'primary', db: kernel.db });
}

/** A database, and what it is called where answers of several are told apart. */
interface Server {
  readonly name: 'primary' | 'replica';
  readonly db: Db;
}

/** What one server answers, from a copy where one is kept. */
async function readFrom(run: Run, op: ReadOperation, input: object, server: Server): Promise<Answered> {
  const copy = op.copies && (await copied(run, { op, rules: op.copies, input }, server));
  if (copy) return { status: op.status, text: copy.text, tag: () => copy.tag };
  const body = await op.handle(run.context(server.db), input);
  const text = textOf(run, op, body);
  return { status: op.status, text, tag: () => tagOf(op, body, text) };
}

/**
 * What is kept for everybody, if this caller is one of them. Whether it has something of its own is asked afterwards: what it
 * has not then, it had not when the copy was checked.
 */
async function copied(
  run: Run,
  { op, rules: { version, own }, input }: { op: ReadOperation; rules: CopyRules; input: object },
  { name, db }: Server,
): Promise<Finished | undefined> {
  const { kernel, signed } = run;
  if (signed && !own) return undefined;
  const copy = await kernel.copies.answer(`${op.name} ${name} ${JSON.stringify(input)}`, {
    version: () => version(run.sharedContext(db), input),
    finish: async () => {
      const body = await op.handle(run.sharedContext(db), input);
      const text = textOf(run, op, body);
      return { text: Buffer.from(text), tag: tagOf(op, body, text), ids: own?.idsIn(body) ?? [] };
    },
  });
  if (!copy || !signed) return copy;
  return (await own!.has(run.context(db) as SignedContext, copy.ids)) ? undefined : copy;
}

/**
 * What the replica answers; undefined when there is none, it fails, or does not have what was asked for (yet): then the
 * primary is asked from the beginning, so that no answer is put together from two servers (docs/operations#a-replica).
 */
async function readFromReplica(run: Run, op: ReadOperation, input: object): Promise<Answered | undefined> {
  const { replica } = run.kernel;
  const db = replica?.current;
  if (!replica || !db) return undefined;
  try {
    return await readFrom(run, op, input, { name: 'replica', db });
  } catch (error) {
    if (replica.hasFailed(error) || (error instanceof Refusal && error.token === 'not_found')) return undefined;
    throw error;
  }
}

/** What the caller is told of an error; faults are reported on the way. */
function refusalOf({ kernel, request }: Run, op: Operation, error: unknown): Refusal {
  const mapped = op.kind === 'unsigned-write' ? refusalOfFailure(op, error) : error;
  if (mapped instanceof Refusal && mapped.token !== 'unavailable') return mapped;
  kernel.onFault(mapped, request.requestId);
  if (mapped instanceof Refusal) return mapped;
  return isPostgresUnavailable(mapped) ? unavailable('the database') : new Refusal('internal');
}

function textOf({ kernel }: Run, op: Operation, body: object): string {
  const text = JSON.stringify(body);
  const { error } = kernel.checkOutputs ? validate(op.output, JSON.parse(text)) : {};
  if (error) throw new Error(`${op.name} answered what its schema does not allow: ${error.message}`);
  return text;
}
