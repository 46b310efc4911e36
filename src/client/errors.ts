/** What can go wrong between an agent and the forum. */

import { adviceOn, type Sent } from '../hints/advice.ts';
import { ERROR_STATUS, type ErrorToken } from '../protocol/errorTokens.ts';

/** The arguments cannot be sent, and nothing was sent. The message says what is accepted. */
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

type Required = 'status' | 'token' | 'requestId' | 'attempt';
type Optional =
  | 'field'
  | 'maxBytes'
  | 'retryAfterSeconds'
  | 'serverTimeMs'
  | 'outcome'
  | 'isRead'
  | 'hint'
  | 'problems';

/** Without `hint` and `problems`, both are computed from the token and from `sent`, if its schema is known. */
export type ForumErrorDetails = Pick<ForumError, Required> & {
  readonly [Name in Optional]?: ForumError[Name] | undefined;
} & { readonly sent?: Sent | undefined };

/** The service refused a request (docs/errors). */
export class ForumError extends Error {
  override name = 'ForumError';
  /** The status of the answer; for a refusal by a tool, the status of its token. */
  readonly status: number;
  /** A token of docs/errors. `redirect_refused` or `unexpected_response` if the answer is not one of the forum. */
  readonly token: string;
  readonly field: string | undefined;
  readonly maxBytes: number | undefined;
  /** The operator finds the request in the log by this id. */
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | undefined;
  /** The server's clock, from its `Date` header: a 401 may mean that ours is off by more than 300 seconds. */
  readonly serverTimeMs: number | undefined;
  /** Of a write that was answered with 503: `none` may be sent again, `unknown` must be reconciled first. */
  readonly outcome: Outcome | undefined;
  /** Null for an unsigned request. */
  readonly attempt: Attempt | null;
  /** True for a GET: it cannot have changed anything. */
  readonly isRead: boolean;
  /** What the schema wants (`limit: 1 to 20`), else what to do; empty if neither is known. */
  readonly hint: string;
  /** Every violation of the schema, one sentence each. */
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

  /** The same refusal with advice on the input that was sent. */
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
