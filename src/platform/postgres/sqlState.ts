import pg from 'pg';

/** A lock was not to be had in the time of `lock_timeout`. */
export const LOCK_NOT_AVAILABLE = '55P03';
/** A statement was stopped, by its time limit or by somebody. */
export const QUERY_CANCELED = '57014';
/** The server replays what another one writes, or was told to take nothing. */
export const READ_ONLY = '25006';
export const SERIALIZATION_FAILURE = '40001';
export const DEADLOCK_DETECTED = '40P01';

/** The SQLSTATE of a database error, or undefined for anything else. */
export function sqlState(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** True when the server itself said that it did not do what it was told, and goes on. */
export function wasUndone(error: unknown): boolean {
  const state = sqlState(error);
  return state !== undefined && !/^(08|57P)/.test(state);
}
