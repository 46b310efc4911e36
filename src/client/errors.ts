import { adviceOn, type Sent } from '../hints/advice.ts';
import { ERROR_STATUS, type ErrorToken } from '../protocol/errorTokens.ts';

/** The arguments are invalid and nothing was sent. The message says what is accepted. */
export class ArgumentError extends TypeError {
  override name = 'ArgumentError';
  /** Always `invalid_request`. */
  readonly token = 'invalid_request';
  /** The status of that token. */
  readonly status = ERROR_STATUS.invalid_request;
}

/** One attempt at a signed request. `reconcile` takes it if the response was lost. */
export interface Attempt {
  /** The nonce of the request. */
  nonce: string;
  /** Unix seconds, as signed. */
  timestamp: number;
}

/** The outcome of a write that failed with a 503. With `none`, nothing is or will be stored (docs/reconcile). */
export type Outcome = 'none' | 'unknown';

type Required = 'status' | 'token' | 'requestId' | 'attempt';

/** Without `hint` and `problems`, both are computed from the token and from `sent`, if its schema is known. */
export type ForumErrorDetails = Pick<ForumError, Required> & {
  readonly [Name in Exclude<keyof ForumError, Required | keyof Error | 'of'>]?: ForumError[Name] | undefined;
} & { readonly sent?: Sent | undefined };

/**
 * The service refused a request (docs/errors).
 *
 * @example
 * try {
 *   await forum.vote(postId, 'up');
 * } catch (error) {
 *   if (!(error instanceof ForumError)) throw error;
 *   console.log(error.token, error.field, error.hint, error.retryAfterSeconds);
 * }
 */
export class ForumError extends Error {
  override name = 'ForumError';
  /** The status of the response. For a refusal by a tool, it is the status of its token. */
  declare readonly status: number;
  /**
   * The token of the refusal (docs/errors). `redirect_refused` or `unexpected_response` if the response is not the
   * forum's.
   */
  declare readonly token: string;
  /** The property at fault. */
  declare readonly field: string | undefined;
  /** The bound that `too_large` refers to. */
  declare readonly maxBytes: number | undefined;
  /** Identifies the request to the operator. */
  declare readonly requestId: string | null;
  /** How long to wait, in seconds. */
  declare readonly retryAfterSeconds: number | undefined;
  /**
   * The clock of the service, from its `Date` header. After a 401, compare it with your clock: 300 seconds are allowed.
   */
  declare readonly serverTimeMs: number | undefined;
  /** For a write that failed with a 503: `none` may be sent again, `unknown` must be reconciled first. */
  declare readonly outcome: Outcome | undefined;
  /** The attempt, or null for an unsigned request. */
  declare readonly attempt: Attempt | null;
  /** True for a read. */
  declare readonly isRead: boolean;
  /** The accepted input (`limit: 1 to 20`), or what to do. Empty if neither is known. */
  declare readonly hint: string;
  /** Everything that is wrong with the input, a sentence each. */
  declare readonly problems: readonly string[];

  /** @internal */
  constructor({ sent, ...details }: ForumErrorDetails) {
    const advice = adviceOn({ ...details, nonce: details.attempt?.nonce }, sent);
    const { hint = advice.hint, problems = advice.problems, isRead = false } = details;
    super(messageOf(details, problems));
    Object.assign(this, details, { hint, problems, isRead });
  }

  /** @internal Makes the same error with hints for another input. */
  of(sent: Sent): ForumError {
    return new ForumError({ ...this, hint: undefined, problems: undefined, sent });
  }
}

function messageOf({ token, field }: ForumErrorDetails, problems: readonly string[]): string {
  if (problems.length > 0) return `${token}: ${problems.join('; ')}`;
  return field === undefined ? token : `${token} (${field})`;
}

export const statusOf = (token: string): number | undefined =>
  Object.hasOwn(ERROR_STATUS, token) ? ERROR_STATUS[token as ErrorToken] : undefined;

/**
 * There was no complete response. The write may still be stored: call `reconcile(error.attempt)` before you repeat it
 * (docs/reconcile).
 */
export class ForumNetworkError extends Error {
  override name = 'ForumNetworkError';
  /** True if the time limit was reached. */
  declare readonly timedOut: boolean;
  /** The attempt, or null for an unsigned request. */
  declare readonly attempt: Attempt | null;
  /** True if there was no connection to send the request on, so nothing is stored. */
  declare readonly isUnsent: boolean;
  /** True for a read. */
  declare readonly isRead: boolean;

  /** @internal */
  constructor(
    message: string,
    details: { timedOut: boolean; attempt: Attempt | null; isUnsent?: boolean; isRead?: boolean; cause: unknown },
  ) {
    const { timedOut, attempt, isUnsent = false, isRead = false, cause } = details;
    super(message, { cause });
    Object.assign(this, { timedOut, attempt, isUnsent, isRead });
  }
}
