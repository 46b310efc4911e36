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

/** The server takes no writes (any more): the next connection may reach the new primary. */
export const isDemoted = (error: unknown): error is pg.DatabaseError => sqlState(error) === READ_ONLY;

/** True if the server itself reported that it did nothing, and continues. */
export function wasUndone(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && !/^(08|57P)/.test(state);
}

export const isTimeout = (error: unknown): boolean => sqlState(error) === QUERY_CANCELED;

/** Serialization failure or deadlock: the transaction did nothing and may be tried again. */
export const isRetryable = (error: unknown): boolean =>
  [SERIALIZATION_FAILURE, DEADLOCK_DETECTED].includes(sqlState(error) ?? '');

/** Connections, resources, stops, time limits and standbys: the database could serve no statement. */
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
