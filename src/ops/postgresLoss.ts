import { LOCK_NOT_AVAILABLE, NothingSent, QUERY_CANCELED, READ_ONLY, sqlState } from '../platform/postgres/errors.ts';
import { Busy } from '../platform/postgres/semaphore.ts';

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
