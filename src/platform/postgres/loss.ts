import { NothingSent } from './pipelinedPool.ts';
import { Busy } from './semaphore.ts';
import { LOCK_NOT_AVAILABLE, QUERY_CANCELED, READ_ONLY, sqlState } from './sqlState.ts';

/** By the beginning of the SQLSTATE, the longest first. */
const BY_STATE: readonly (readonly [beginning: string, words: string])[] = [
  ['28P01', 'refuses the password'],
  ['28', 'does not admit the role'],
  ['3D000', 'has no such database'],
  ['53100', 'is full'],
  ['53200', 'is out of memory'],
  ['53300', 'has no connection left'],
  ['57P03', 'is starting or stopping'],
  ['57P', 'is stopping'],
  [READ_ONLY, 'takes no writes'],
  ['08', 'is not reached by the pooler'],
  ['58', 'cannot use its disk'],
];

const BY_TEXT: readonly (readonly [text: RegExp, words: string])[] = [
  [/ECONNREFUSED|ENOENT/, 'connection refused'],
  [/ENOTFOUND|EAI_/, 'no host of that name'],
  [/EHOST|ENETUN/, 'no route to its host'],
  [/SASL.*password must be/, 'asks for a password'],
  [/CERT_NOT_YET_VALID|CERT_HAS_EXPIRED/, "has a certificate that, by this host's clock, is not valid now"],
  [/CERT|SELF_SIGNED|UNABLE_TO_|\bSSL\b|certificate/, 'cannot be trusted: see sslrootcert in DATABASE_URL'],
  [/ECONNRESET|EPIPE|Connection terminated|Client was closed|connection error/i, 'connection lost'],
  [/ETIMEDOUT|timeout/i, 'no answer'],
];

/**
 * Why PostgreSQL cannot be used, in a few words without an address or a secret. Undefined for an error that says nothing of
 * the server: one of a statement, which may have taken too long or waited for a lock.
 */
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
