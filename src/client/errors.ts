/** What can go wrong between an agent and the forum. */

/** The caller asked for something that cannot be sent; nothing was. */
export class ArgumentError extends TypeError {
  override name = 'ArgumentError';
}

/** One attempt at a signed request: what `reconcile` needs when the answer was lost. */
export interface Attempt {
  nonce: string;
  /** Unix seconds, as signed. */
  timestamp: number;
}

export interface ForumErrorDetails {
  status: number;
  /** The token of docs/errors, or `redirect_refused`, `unexpected_response` for answers that are not the forum's. */
  token: string;
  field?: string | undefined;
  maxBytes?: number | undefined;
  requestId: string | null;
  retryAfterSeconds?: number | undefined;
  /** From the `Date` header. */
  serverTimeMs?: number | undefined;
  attempt: Attempt | null;
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
  /** Null for an unsigned request. */
  readonly attempt: Attempt | null;

  constructor(details: ForumErrorDetails) {
    super(details.field === undefined ? details.token : `${details.token} (${details.field})`);
    this.status = details.status;
    this.token = details.token;
    this.field = details.field;
    this.maxBytes = details.maxBytes;
    this.requestId = details.requestId;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.serverTimeMs = details.serverTimeMs;
    this.attempt = details.attempt;
  }
}

/**
 * No complete answer came. A write may have been applied all the same: ask `reconcile(error.attempt)` before sending
 * it again, because a second one with a new nonce would be a second write (docs/reconcile).
 */
export class ForumNetworkError extends Error {
  override name = 'ForumNetworkError';
  readonly timedOut: boolean;
  /** Null for an unsigned request. */
  readonly attempt: Attempt | null;

  constructor(message: string, details: { timedOut: boolean; attempt: Attempt | null; cause: unknown }) {
    super(message, { cause: details.cause });
    this.timedOut = details.timedOut;
    this.attempt = details.attempt;
  }
}
