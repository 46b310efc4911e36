import pg from 'pg';
import { Busy } from './semaphore.ts';

/** The SQLSTATE for a lock that was not free within `lock_timeout`. */
export const LOCK_NOT_AVAILABLE = '55P03';
/** A statement was cancelled, by its time limit or by someone. */
export const QUERY_CANCELED = '57014';
/** The server is a standby, or is set to take no writes. */
export const READ_ONLY = '25006';
const SERIALIZATION_FAILURE = '40001';
export const DEADLOCK_DETECTED = '40P01';

/** No connection could be had, for the reason in `cause`. The statement never left this process. */
export class NothingSent extends Error {
  constructor(cause: unknown) {
    super('no connection to send the statement on', { cause });
    this.name = 'NothingSent';
  }
}

export const databaseError = (error: unknown): pg.DatabaseError | undefined =>
  error instanceof pg.DatabaseError ? error : undefined;

export const sqlState = (error: unknown): string | undefined => databaseError(error)?.code;

/** True if the server itself reported that it did nothing, and continues. */
export function wasUndone(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && !/^(08|57P)/.test(state);
}

export const isTimeout = (error: unknown): boolean => sqlState(error) === QUERY_CANCELED;

/** Serialization failure or deadlock: the transaction did nothing and may be tried again. */
export const isRetryable = (error: unknown): boolean =>
  [SERIALIZATION_FAILURE, DEADLOCK_DETECTED].includes(sqlState(error) ?? '');

/**
 * Connection, resource, operator-intervention and time-out classes, and a standby: the database could serve no
 * statement.
 */
const UNAVAILABLE_STATES = /^(08|53|57P|57014|55P03|25006|25P0[34]|58)/;

/** True if PostgreSQL is unreachable, stops, or ran out of time or resources (docs/errors, `unavailable`). */
export function isPostgresUnavailable(error: unknown): boolean {
  if (error instanceof NothingSent) return isPostgresUnavailable(error.cause);
  const state = sqlState(error);
  if (state !== undefined) return UNAVAILABLE_STATES.test(state);
  if (error instanceof Busy) return true;
  if (!(error instanceof Error)) return false;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (/^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_|EHOST|ENETUN|ENOENT)/.test(code)) return true;
  return /^(Connection terminated|Query read timeout|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/i.test(
    error.message,
  );
}

/** True if a statement that commits by itself, or a last one with its COMMIT, certainly stored nothing. */
export function isDefiniteFailure(error: unknown): boolean {
  if (error instanceof NothingSent || error instanceof Busy || wasUndone(error)) return true;
  return error instanceof Error && /is not queryable$/.test(error.message);
}

/** By the beginning of the SQLSTATE, the most specific first. */
const BY_STATE: readonly (readonly [beginning: string, words: string])[] = [
  ['28P01', 'rejects the password'],
  ['28', 'does not admit the role'],
  ['3D000', 'has no such database'],
  ['53100', 'is full'],
  ['53200', 'is out of memory'],
  ['53300', 'has no free connection'],
  ['57P03', 'is starting or stopping'],
  ['57P', 'is stopping'],
  [READ_ONLY, 'read-only'],
  ['08', 'is not reached by the pooler'],
  ['58', 'cannot use its disk'],
];

const BY_TEXT: readonly (readonly [text: RegExp, words: string])[] = [
  [/ECONNREFUSED|ENOENT/, 'connection refused'],
  [/ENOTFOUND|EAI_/, 'host name not found'],
  [/EHOST|ENETUN/, 'no route to its host'],
  [/SASL.*password must be/, 'requires a password'],
  [
    /CERT_NOT_YET_VALID|CERT_HAS_EXPIRED/,
    'has a certificate that is expired or not yet valid, by the clock of this host',
  ],
  [
    /CERT|SELF_SIGNED|UNABLE_TO_|\bSSL\b|certificate/,
    'has a certificate that is not trusted: set sslrootcert in DATABASE_URL',
  ],
  [/ECONNRESET|EPIPE|Connection terminated|Client was closed|connection error/i, 'connection lost'],
  [/ETIMEDOUT|timeout/i, 'no answer'],
];

/** Why PostgreSQL cannot be used, without address or secret. Undefined for the error of a single statement. */
export function describePostgresLoss(error: unknown): string | undefined {
  const cause = error instanceof NothingSent ? error.cause : error;
  if (cause instanceof Busy) return 'all connections are in use';
  const state = sqlState(cause);
  if (state === QUERY_CANCELED || state === LOCK_NOT_AVAILABLE) return undefined;
  if (state !== undefined) return BY_STATE.find(([beginning]) => state.startsWith(beginning))?.[1];
  if (!(cause instanceof Error)) return undefined;
  const text = `${(cause as NodeJS.ErrnoException).code ?? ''} ${cause.message}`;
  return BY_TEXT.find(([pattern]) => pattern.test(text))?.[1];
}
