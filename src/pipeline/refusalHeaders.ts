import type { Refusal } from '../operation/errors.ts';
import type { Operation } from '../operation/operation.ts';

/** `none`: nothing is stored and nothing will be. `unknown`: the commit may still happen. */
export type WriteOutcome = 'none' | 'unknown';

/** The header that carries the outcome of a write answered with a 5xx. */
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
