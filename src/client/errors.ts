import { adviceOn, type Sent } from '../hints/advice.ts';
import { ERROR_STATUS, type ErrorToken } from '../protocol/errorTokens.ts';

/** The arguments are invalid and nothing was sent. The message says what is accepted. */
export class ArgumentError extends TypeError {
  override name = 'ArgumentError';
  readonly token = 'invalid_request';
  readonly status = ERROR_STATUS.invalid_request;
}

/** One attempt at a signed request, which `reconcile` takes if the answer was lost. */
export interface Attempt {
  nonce: string;
  /** Unix seconds, as signed. */
  timestamp: number;
}

/** What a 503 reports of a write: `none` means that nothing is or will be stored (docs/reconcile). */
export type Outcome = 'none' | 'unknown';

type Required = 'status' | 'token' | 'requestId' | 'attempt';

/** Without `hint` and `problems`, both are computed from the token and from `sent`, if its schema is known. */
export type ForumErrorDetails = Pick<ForumError, Required> & {
  readonly [Name in Exclude<keyof ForumError, Required | keyof Error | 'of'>]?: ForumError[Name] | undefined;
} & { readonly sent?: Sent | undefined };

/** The service refused a request (docs/errors). */
export class ForumError extends Error {
  override name = 'ForumError';
  /** The status of the answer; for a refusal by a tool, the status of its token. */
  declare readonly status: number;
  /** A token of docs/errors. `redirect_refused` or `unexpected_response` if the answer is not one of the forum. */
  declare readonly token: string;
  declare readonly field: string | undefined;
  declare readonly maxBytes: number | undefined;
  declare readonly requestId: string | null;
  declare readonly retryAfterSeconds: number | undefined;
  /** The server's clock, from its `Date` header. A 401 may mean that ours is off by more than 300 seconds. */
  declare readonly serverTimeMs: number | undefined;
  /** For a write that was answered with 503: `none` may be sent again, `unknown` must be reconciled first. */
  declare readonly outcome: Outcome | undefined;
  declare readonly attempt: Attempt | null;
  declare readonly isRead: boolean;
  /** What the schema wants (`limit: 1 to 20`), else what to do; empty if neither is known. */
  declare readonly hint: string;
  declare readonly problems: readonly string[];

  constructor({ sent, ...details }: ForumErrorDetails) {
    const advice = adviceOn({ ...details, nonce: details.attempt?.nonce }, sent);
    const { hint = advice.hint, problems = advice.problems, isRead = false } = details;
    super(messageOf(details, problems));
    Object.assign(this, details, { hint, problems, isRead });
  }

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

/** The write may still be stored: call `reconcile(error.attempt)` before sending it again (docs/reconcile). */
export class ForumNetworkError extends Error {
  override name = 'ForumNetworkError';
  declare readonly timedOut: boolean;
  declare readonly attempt: Attempt | null;
  /** True if there was no connection to send the request on, so nothing is stored. */
  declare readonly isUnsent: boolean;
  declare readonly isRead: boolean;

  constructor(
    message: string,
    details: { timedOut: boolean; attempt: Attempt | null; isUnsent?: boolean; isRead?: boolean; cause: unknown },
  ) {
    const { timedOut, attempt, isUnsent = false, isRead = false, cause } = details;
    super(message, { cause });
    Object.assign(this, { timedOut, attempt, isUnsent, isRead });
  }
}
