import pg from 'pg';
import { hostUrls } from '../platform/hostUrls.ts';
import { NothingSent, READ_ONLY, sqlState } from '../platform/postgres/errors.ts';
import { type Db, oneValue } from '../platform/postgres/statement.ts';
import { StartupError } from '../platform/startupError.ts';

type Target = ReturnType<typeof readTarget>;

const DATABASE_OPTIONS = '--template=template0 --encoding=UTF8 --locale=C';

/** An error of the server or connection as `StartupError`, without the password of `url`; others unchanged. */
export function startFailure(error: unknown, url: string, setting = 'DATABASE_URL'): unknown {
  const cause = error instanceof NothingSent ? error.cause : error;
  if (!(cause instanceof Error)) return error;
  let target: Target;
  try {
    target = readTarget(url, setting);
  } catch (unreadable) {
    const { code, path } = unreadable as NodeJS.ErrnoException;
    return new StartupError(
      path === undefined
        ? `${setting} cannot be parsed. Write a % in its role, password or database as %25.`
        : `${setting} names the file ${path}, which is not readable (${code}). Correct the path, or let this user read the file.`,
    );
  }
  const state = sqlState(cause);
  const words =
    state === undefined ? describeConnection(cause, target) : describeState(state, cause as pg.DatabaseError, target);
  return words === undefined ? error : new StartupError(words);
}

/** Runs `start` and explains its database errors by `startFailure`: a pooler may fail after the first statements. */
export async function describeStartFailures<Started>(url: string, start: () => Promise<Started>): Promise<Started> {
  return start().catch((error: unknown) => {
    throw sqlState(error) === undefined ? error : startFailure(error, url);
  });
}

const readEncoding = oneValue<string>('encoding.read', `SELECT current_setting('server_encoding') AS encoding`);

/** Throws `StartupError` unless the database is in UTF-8. In other encodings PostgreSQL cannot store every text. */
export async function requireUtf8(db: Db, url: string): Promise<void> {
  const encoding = await readEncoding(db);
  if (encoding === 'UTF8') return;
  const { createCommand } = readTarget(url, '');
  throw new StartupError(
    `The database has the encoding ${encoding}, but the forum needs UTF8. Delete it with dropdb and create it again: ${createCommand}`,
  );
}

function readTarget(url: string, setting: string) {
  // The driver parses the address. A client that is not connected costs nothing.
  const clients = hostUrls(url).map((connectionString) => new pg.Client({ connectionString }));
  const { host, port, user = '', database = '' } = clients[0]!;
  const place = clients.map(placeOf).join(', ');
  const createCommand = `createdb --host=${host} --port=${port} --username=${user} ${DATABASE_OPTIONS} ${database}`;
  return { place, setting, role: user, database, createCommand };
}

const placeOf = ({ host, port }: pg.Client): string =>
  host.startsWith('/') ? `${host} (a socket)` : `${host.includes(':') ? `[${host}]` : host}:${port}`;

function describeState(state: string, { message, severity }: pg.DatabaseError, target: Target): string | undefined {
  const { place, setting, role, database, createCommand } = target;
  if (state === '28P01')
    return `PostgreSQL at ${place} rejects the password of the role ${role}. Correct it in ${setting}.`;
  if (state === '26000' || state === '42P05')
    return `The pooler at ${place} does not keep the prepared statements of a client (${message}). Set DATABASE_STATEMENTS=unnamed.`;
  if (state.startsWith('28'))
    return `PostgreSQL at ${place} does not let the role ${role} connect (${message}). Correct ${setting}, or admit the role in pg_hba.conf.`;
  if (state === '3D000') return `PostgreSQL at ${place} has no database ${database}. Create it: ${createCommand}`;
  if (state === '3F000')
    return `The role ${role} has no schema for its tables in the database ${database}. Create the schema public, or correct the search_path of the role.`;
  if (state === '42501')
    return `The role ${role} lacks a permission in the database ${database} (${message}). Make it the owner of the database.`;
  if (state === READ_ONLY)
    return `PostgreSQL at ${place} is read-only (${message}). Name the primary in ${setting}, or promote this server.`;
  if (state === '53300')
    return `PostgreSQL at ${place} has no free connection (${message}). Raise max_connections, or start fewer processes.`;
  if (/^(08|53|57P)/.test(state))
    return `PostgreSQL at ${place} accepts no connections at the moment (${message}). Try again soon.`;
  if (severity === 'FATAL') return `PostgreSQL at ${place} rejects the connection (${message}). Correct ${setting}.`;
  return undefined;
}

const UNKNOWN_ISSUER = /SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY)/;

function describeConnection(error: Error, { place, setting, role }: Target): string | undefined {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED' || code === 'ENOENT')
    return `PostgreSQL is not running at ${place} (connection refused). Start it, or correct ${setting}.`;
  if (code === 'ENOTFOUND' || code.startsWith('EAI_'))
    return `The host name in ${setting} (${place}) was not found. Correct it.`;
  // The message of the driver for a missing password.
  if (/^SASL: .*password must be/.test(error.message))
    return `PostgreSQL at ${place} requires the password of the role ${role}. Add it to ${setting}.`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `PostgreSQL at ${place} presents the certificate of another host (${error.message}). Correct the host in ${setting}.`;
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return `PostgreSQL at ${place} presents a certificate that is expired or not yet valid, by the clock of this host. Renew it, or set the clock.`;
  if (UNKNOWN_ISSUER.test(code))
    return `PostgreSQL at ${place} presents a certificate of an unknown authority (${error.message}). Name the certificate file of that authority as sslrootcert in ${setting}.`;
  if (/\bSSL\b|certificate/i.test(error.message))
    return `The TLS connection to PostgreSQL at ${place} failed (${error.message}). Correct sslmode in ${setting}.`;
  const isUnreachable = /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENETUN)/.test(code);
  if (isUnreachable || /^(timeout|Connection terminated|Query read timeout)/i.test(error.message))
    return `PostgreSQL at ${place} does not respond (${code || 'timed out'}). Check that it runs, or correct ${setting}.`;
  return undefined;
}

/** The error of a server that cannot listen, as StartupError if known. `setting` is the variable of its port. */
export function listenFailure(
  error: NodeJS.ErrnoException,
  { host, port, setting }: { host: string; port: number; setting: string },
): Error {
  const place = `${host}:${port}`;
  if (error.code === 'EADDRINUSE')
    return new StartupError(`Cannot listen on ${place}, because another process does. Set ${setting} to a free port.`);
  if (error.code === 'EACCES')
    return new StartupError(`This user is not permitted to listen on ${place}. Set ${setting} to a port above 1023.`);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new StartupError(
      `${host} is not an address of this machine. Correct ${setting.replace('WORKER_', '').replace('PORT', 'HOST')}.`,
    );
  }
  return error;
}
