import pg from 'pg';
import { StartupError } from '../startupError.ts';
import { NothingSent, READ_ONLY, sqlState } from './errors.ts';
import { type Db, oneValue } from './statement.ts';

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
        ? `${setting} cannot be read: write a % in its role, password or database as %25.`
        : `${setting} names the file ${path}, which cannot be read (${code}): correct it, or let this user read it.`,
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
    `The database has the encoding ${encoding}, and the forum needs UTF8. Make it anew: dropdb and ${createCommand}`,
  );
}

function readTarget(url: string, setting: string) {
  // The driver parses the address. A client that is not connected costs nothing.
  const { host, port, user = '', database = '' } = new pg.Client({ connectionString: url });
  const place = host.startsWith('/') ? `${host} (a socket)` : `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const createCommand = `createdb --host=${host} --port=${port} --username=${user} ${DATABASE_OPTIONS} ${database}`;
  return { place, setting, role: user, database, createCommand };
}

function describeState(state: string, { message, severity }: pg.DatabaseError, target: Target): string | undefined {
  const { place, setting, role, database, createCommand } = target;
  if (state === '28P01')
    return `PostgreSQL at ${place} refuses the password of the role ${role}: correct it in ${setting}.`;
  if (state === '26000' || state === '42P05')
    return `What is at ${place} hands prepared statements from one to another (${message}): set DATABASE_STATEMENTS=unnamed.`;
  if (state.startsWith('28'))
    return `PostgreSQL at ${place} lets the role ${role} not in (${message}): see ${setting}.`;
  if (state === '3D000') return `PostgreSQL at ${place} has no database ${database}. Make it: ${createCommand}`;
  if (state === '3F000')
    return `The role ${role} has no schema to create in, in the database ${database}: make public, or correct the search_path of the role.`;
  if (state === '42501')
    return `The role ${role} may not do that in the database ${database} (${message}): make it the owner of the database.`;
  if (state === READ_ONLY)
    return `PostgreSQL at ${place} takes no writes (${message}): name the primary in ${setting}, or promote this server.`;
  if (state === '53300')
    return `PostgreSQL at ${place} has no connection left (${message}): raise max_connections, or start fewer processes.`;
  if (/^(08|53|57P)/.test(state))
    return `PostgreSQL at ${place} takes no connections now (${message}): try again soon.`;
  if (severity === 'FATAL') return `PostgreSQL at ${place} refuses the connection (${message}): correct ${setting}.`;
  return undefined;
}

const UNKNOWN_ISSUER = /SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY)/;

function describeConnection(error: Error, { place, setting, role }: Target): string | undefined {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === 'ECONNREFUSED' || code === 'ENOENT')
    return `PostgreSQL does not run at ${place} (connection refused): start it, or correct ${setting}.`;
  if (code === 'ENOTFOUND' || code.startsWith('EAI_'))
    return `There is no host of the name in ${setting} (${place}): correct it.`;
  // The message of the driver for a missing password.
  if (/^SASL: .*password must be/.test(error.message))
    return `PostgreSQL at ${place} asks for the password of the role ${role}: put it into ${setting}.`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `PostgreSQL at ${place} shows the certificate of another host (${error.message}): correct the host in ${setting}.`;
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return `PostgreSQL at ${place} shows a certificate that, by the clock of this host, is not valid now: renew it, or set the clock.`;
  if (UNKNOWN_ISSUER.test(code))
    return `PostgreSQL at ${place} shows a certificate that nobody here vouches for (${error.message}): name the file of those that do by sslrootcert in ${setting}.`;
  if (/\bSSL\b|certificate/i.test(error.message))
    return `PostgreSQL at ${place} cannot be spoken to by TLS (${error.message}): correct sslmode in ${setting}.`;
  const isUnreachable = /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENETUN)/.test(code);
  if (isUnreachable || /^(timeout|Connection terminated|Query read timeout)/i.test(error.message))
    return `PostgreSQL at ${place} does not answer (${code || 'timed out'}): see whether it runs, or correct ${setting}.`;
  return undefined;
}
