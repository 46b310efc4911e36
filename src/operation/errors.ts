import { ERROR_STATUS, type ErrorToken } from '../protocol/errorTokens.ts';

export interface RefusalDetails {
  /** The offending request field; never content. */
  readonly field?: string | undefined;
  /** The cause in a few constant words, for the log only. */
  readonly reason?: string | undefined;
  readonly maxBytes?: number | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly allow?: readonly string[] | undefined;
}

const HELP = '</docs/errors>; rel="help"';

/** An error response with a token. Any other error that is thrown becomes `internal`. */
export class Refusal extends Error {
  readonly token: ErrorToken;
  readonly details: RefusalDetails;

  constructor(token: ErrorToken, details: RefusalDetails = {}, cause?: unknown) {
    super(token, cause === undefined ? {} : { cause });
    this.name = 'Refusal';
    this.token = token;
    this.details = details;
  }

  get status(): number {
    return ERROR_STATUS[this.token];
  }

  /** `{error, field?, maxBytes?}` and nothing else (docs/errors). */
  get body() {
    const { field, maxBytes } = this.details;
    return { error: this.token, field, maxBytes };
  }

  get headers(): Record<string, string> {
    const { retryAfterSeconds, allow } = this.details;
    return {
      link: HELP,
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterSeconds))) }),
      ...(allow === undefined ? {} : { allow: allow.join(', ') }),
    };
  }
}

export const invalid = (field?: string, reason?: string): Refusal => new Refusal('invalid_request', { field, reason });
export const notFound = (reason?: string): Refusal => new Refusal('not_found', { reason });
export const forbidden = (reason?: string): Refusal => new Refusal('forbidden', { reason });
export const unauthorized = (reason?: string): Refusal => new Refusal('unauthorized', { reason });
export const conflict = (field?: string, reason?: string): Refusal => new Refusal('conflict', { field, reason });
export const unavailable = (reason?: string, cause?: unknown): Refusal =>
  new Refusal('unavailable', { retryAfterSeconds: 1, reason }, cause);

/** Refusals that SQL functions raise, by SQLSTATE. */
const RAISED: Readonly<Record<string, ErrorToken>> = {
  AF400: 'invalid_request',
  AF401: 'unauthorized',
  AF402: 'insufficient_karma',
  AF403: 'forbidden',
  AF404: 'not_found',
  AF409: 'conflict',
  AF412: 'stale_version',
  AF423: 'grant_unavailable',
  AF429: 'rate_limited',
  AF503: 'unavailable',
};

/** The refusal of an SQL function: SQLSTATE gives the token, COLUMN the field, HINT the seconds, MESSAGE the reason. */
export function refusalOfRaised(raised: Partial<Record<'code' | 'column' | 'hint' | 'message', string | undefined>>) {
  const { code = '', column, hint, message } = raised;
  const token = RAISED[code];
  const retryAfterSeconds = hint === undefined ? undefined : Number(hint);
  return token && new Refusal(token, { field: column, reason: message, retryAfterSeconds });
}
