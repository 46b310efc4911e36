import { Refusal, unavailable } from '../operation/errors.ts';
import type { Operation } from '../operation/operation.ts';
import { knownField } from '../operation/schemas.ts';
import { isPostgresUnavailable, isRetryable } from '../platform/postgres/postgres.ts';
import { Busy } from '../platform/postgres/semaphore.ts';
import { verifySignature } from './authenticate.ts';
import { type ReadResponse, read } from './read.ts';
import { type OperationRequest, Run, type Services } from './run.ts';
import { writeSigned, writeUnsigned } from './write.ts';

export type { OperationRequest, Services } from './run.ts';

export interface OperationResponse extends ReadResponse {
  readonly headers: Readonly<Record<string, string>>;
  readonly agentId: string | undefined;
  readonly log: RequestLog;
}

/** What the log says of a request beside its response. Only `field` is on the wire. */
export interface RequestLog {
  readonly field?: string | undefined;
  readonly reason?: string | undefined;
  readonly statements?: number;
  readonly dbMs?: number;
}

/** Runs one operation, with refusals in the order of docs/errors#order-of-refusals. Never throws. */
export async function execute(
  services: Services,
  op: Operation,
  request: OperationRequest,
): Promise<OperationResponse> {
  const { concurrency } = services;
  // Not an error of the service: it is counted, and not logged as one.
  if (!concurrency.enter(op)) return respondRefusal(services, op, unavailable('too many under way'));
  const run = new Run(services, op, request);
  try {
    run.signed = await run.traced('authenticate', verifySignature(run, op));
    const response = op.kind === 'read' ? await read(run, op) : await write(run, op);
    // Spread last: properties that follow a spread take V8 two microseconds each.
    return { headers: run.headers, agentId: run.signed?.caller.agentId, log: costOf(run), ...response };
  } catch (error) {
    return respondRefusal(services, op, refusalOf(services, request.requestId, error), run);
  } finally {
    concurrency.leave(op);
  }
}

async function write(run: Run, op: Exclude<Operation, { readonly kind: 'read' }>): Promise<ReadResponse> {
  const { concurrency } = run.services;
  const agentId = run.signed?.caller.agentId;
  if (agentId !== undefined && !concurrency.enter(op, agentId)) throw new Busy('too many of this agent under way');
  try {
    const { status, body } = await (op.kind === 'unsigned-write' ? writeUnsigned(run, op) : writeSigned(run, op));
    return { status, text: run.textOf(op, body, status) };
  } finally {
    if (agentId !== undefined) concurrency.leave(op, agentId);
  }
}

function respondRefusal(services: Services, op: Operation, refusal: Refusal, run?: Run): OperationResponse {
  const { status, body, details } = refusal;
  const headers = refusalHeaders(refusal, {
    // Operations that only MCP has are not in the table, and have no page.
    op: services.operations.has(op.name) ? op : undefined,
    method: op.method,
    nonce: run?.signed?.nonce,
    commitMayFollow: run?.commitMayFollow ?? false,
  });
  return {
    status,
    text: JSON.stringify(body),
    token: body.error,
    headers: { ...run?.headers, ...headers },
    agentId: run?.signed?.caller.agentId,
    log: { field: knownField(op, details.field), reason: details.reason, ...(run ? costOf(run) : {}) },
  };
}

const costOf = ({ statements, statementMs }: Run): RequestLog => ({
  statements,
  dbMs: Math.round(statementMs * 100) / 100,
});

export function refusalOf(services: Services, requestId: string, error: unknown): Refusal {
  if (error instanceof Refusal && error.token !== 'unavailable') return error;
  // Not an error of the service: a crowd that wants the same row is turned away, thousands of times.
  if (error instanceof Busy) return unavailable(error.message);
  services.onFault(error, requestId);
  if (error instanceof Refusal) return error;
  const passes = isPostgresUnavailable(error) || isRetryable(error);
  return passes ? unavailable('the database') : new Refusal('internal');
}

type Kind = Operation['kind'];

/**
 * Requests under way of each kind, in all and for each agent (docs/errors#order-of-refusals). Signed writes are half a
 * second of work on two cores. Previews and unsigned writes cost as much and charge no allowance.
 */
const LIMITS = {
  write: { all: 256, each: 224 },
  preview: { all: 64, each: 56 },
  'unsigned-write': { all: 64, each: 64 },
  /** All kinds together, reads included: as many as memory allows. */
  requests: 2_048,
};

/** Refuses requests beyond the limits before any other work, so that reads continue (docs/errors, `unavailable`). */
export class ConcurrencyLimit {
  readonly #limits: typeof LIMITS;
  /** By kind, and by kind and agent. */
  readonly #underWay = new Map<string, number>();
  #requests = 0;
  #turnedAway = 0;

  constructor(limits = LIMITS) {
    this.#limits = limits;
  }

  /** If true, call `leave` later. A signed write enters again with its agent, to leave room for others. */
  enter({ kind }: Operation, agentId = ''): boolean {
    const key = kind + agentId;
    const underWay = this.#underWay.get(key) ?? 0;
    const limit = kind === 'read' ? Number.POSITIVE_INFINITY : this.#limits[kind][agentId ? 'each' : 'all'];
    if (underWay >= limit || (!agentId && this.#requests >= this.#limits.requests)) {
      this.#turnedAway += 1;
      return false;
    }
    this.#underWay.set(key, underWay + 1);
    if (!agentId) this.#requests += 1;
    return true;
  }

  leave({ kind }: Operation, agentId = ''): void {
    const left = this.#underWay.get(kind + agentId)! - 1;
    if (left === 0) this.#underWay.delete(kind + agentId);
    else this.#underWay.set(kind + agentId, left);
    if (!agentId) this.#requests -= 1;
  }

  get usage() {
    const kinds: readonly Kind[] = ['read', 'write', 'preview', 'unsigned-write'];
    const underWay = Object.fromEntries(kinds.map((kind) => [kind, this.#underWay.get(kind) ?? 0]));
    return { underWay: underWay as Readonly<Record<Kind, number>>, turnedAway: this.#turnedAway };
  }
}

/** `none`: nothing is stored and nothing will be. `unknown`: the commit may still happen. */
export type WriteOutcome = 'none' | 'unknown';

export const OUTCOME_HEADER = 'x-svc-outcome';

interface RefusedRequest {
  /** Undefined if the request matches no operation. */
  readonly op: Operation | undefined;
  readonly method: string;
  readonly nonce?: string | undefined;
  /** A COMMIT was sent, and the database has not reported that it failed. */
  readonly commitMayFollow: boolean;
}

/** The headers of the token, a link to the operation, and the outcome of a write (docs/errors#failed-writes). */
export function refusalHeaders(refusal: Refusal, request: RefusedRequest): Record<string, string> {
  const { op, nonce } = request;
  const headers = refusal.headers;
  if (op) headers.link = `</docs/operations/${op.name}>; rel="help"`;
  const outcome = outcomeOf(refusal, request);
  if (outcome) headers[OUTCOME_HEADER] = outcome;
  if (outcome === 'unknown' && nonce) headers.link += `, </v1/writes/${nonce}>; rel="status"`;
  return headers;
}

/** Undefined for reads, previews and refusals that say by their token that nothing was stored. */
function outcomeOf({ status }: Refusal, { op, method, commitMayFollow }: RefusedRequest): WriteOutcome | undefined {
  if (status < 500) return undefined;
  if (commitMayFollow) return 'unknown';
  // A request that was refused before its MCP tool was known may have been meant as a write.
  return status === 503 && (op ? isWrite(op) : method === 'POST') ? 'none' : undefined;
}

export const isWrite = ({ kind }: Operation): boolean => kind === 'write' || kind === 'unsigned-write';
