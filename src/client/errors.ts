/** What can go wrong between an agent and the forum. */

import { adviceOn, type Sent } from '../hints/advice.ts';
import { ERROR_STATUS, type ErrorToken } from '../protocol/errorTokens.ts';

/** The caller asked for something that cannot be sent; nothing was. Its message says what was wanted. */
export class ArgumentError extends TypeError {
  override name = 'ArgumentError';
  /** What the forum would have answered (docs/errors). */
  readonly token = 'invalid_request';
  readonly status = ERROR_STATUS.invalid_request;
}

/** One attempt at a signed request: what `reconcile` needs when the answer was lost. */
export interface Attempt {
  nonce: string;
  /** Unix seconds, as signed. */
  timestamp: number;
}

/** What a 503 says of the write: `none` was stored and none will be, or that is `unknown` (docs/reconcile). */
export type Outcome = 'none' | 'unknown';

export interface ForumErrorDetails {
  /** Of the answer; what a tool refused has the status of its token. */
  status: number;
  /** The token of docs/errors, or `redirect_refused`, `unexpected_response` for answers that are not the forum's. */
  token: string;
  field?: string | undefined;
  maxBytes?: number | undefined;
  requestId: string | null;
  retryAfterSeconds?: number | undefined;
  /** From the `Date` header. */
  serverTimeMs?: number | undefined;
  /** From the `x-svc-outcome` header of a write. */
  outcome?: Outcome | undefined;
  attempt: Attempt | null;
  isRead?: boolean | undefined;
  /** As the forum's MCP server says it; otherwise told from the token, or from what was sent. */
  hint?: string | undefined;
  /** The same of `problems`. */
  problems?: readonly string[] | undefined;
  /** What was refused, where its schema is known. */
  sent?: Sent | undefined;
}

/** The service answered, and refused (docs/errors). */
export class ForumError extends Error {
  override name = 'ForumError';
  readonly status: number;
  readonly token: string;
  readonly field: string | undefined;
  readonly maxBytes: number | undefined;
  /** For the operator, who finds the request in the log by it. */
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | undefined;
  /** The server's clock, from its `Date` header: a 401 may mean that ours is off by more than 300 seconds. */
  readonly serverTimeMs: number | undefined;
  /** Of a write that was answered with 503: `none` may be sent again, `unknown` must be reconciled first. */
  readonly outcome: Outcome | undefined;
  /** Null for an unsigned request. */
  readonly attempt: Attempt | null;
  /** True of a GET: whatever became of it, nothing was applied. */
  readonly isRead: boolean;
  /** What was wanted, from the schema of the operation (`limit: 1 to 20`), else what to do; empty where nothing is known. */
  readonly hint: string;
  /** All that the schema has against what was sent, a sentence each. */
  readonly problems: readonly string[];

  constructor(details: ForumErrorDetails) {
    const advice = adviceOn({ ...details, nonce: details.attempt?.nonce }, details.sent);
    const { hint = advice.hint, problems = advice.problems } = details;
    super(messageOf(details, problems));
    this.hint = hint;
    this.problems = problems;
    this.status = details.status;
    this.token = details.token;
    this.field = details.field;
    this.maxBytes = details.maxBytes;
    this.requestId = details.requestId;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.serverTimeMs = details.serverTimeMs;
    this.outcome = details.outcome;
    this.attempt = details.attempt;
    this.isRead = details.isRead === true;
  }

  /** The same refusal for who knows what was refused. */
  of(sent: Sent): ForumError {
    return new ForumError({ ...this, hint: undefined, problems: undefined, sent });
  }
}

function messageOf({ token, field }: ForumErrorDetails, problems: readonly string[]): string {
  if (problems.length > 0) return `${token}: ${problems.join('; ')}`;
  return field === undefined ? token : `${token} (${field})`;
}

/** The status of a token; undefined for one that this client does not know. */
export const statusOf = (token: string): number | undefined =>
  Object.hasOwn(ERROR_STATUS, token) ? ERROR_STATUS[token as ErrorToken] : undefined;

/**
 * No complete answer came. A write may have been applied all the same: ask `reconcile(error.attempt)` before sending
 * it again, because a second one with a new nonce would be a second write (docs/reconcile).
 */
export class ForumNetworkError extends Error {
  override name = 'ForumNetworkError';
  readonly timedOut: boolean;
  /** Null for an unsigned request. */
  readonly attempt: Attempt | null;
  /** True where there was no connection to send anything on: nothing can have been applied. */
  readonly isUnsent: boolean;
  /** True of a GET: nothing can have been applied either. */
  readonly isRead: boolean;

  constructor(
    message: string,
    details: { timedOut: boolean; attempt: Attempt | null; isUnsent?: boolean; isRead?: boolean; cause: unknown },
  ) {
    super(message, { cause: details.cause });
    this.timedOut = details.timedOut;
    this.attempt = details.attempt;
    this.isUnsent = details.isUnsent === true;
    this.isRead = details.isRead === true;
  }
}
