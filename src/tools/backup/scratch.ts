import pg from 'pg';
import { StartupError } from '../../platform/startupError.ts';
import { ask, withConnection } from './origin.ts';

/** Marks a database that this program created. */
const COMMENT = 'scratch database of npm run rehearse';
const FIND = `SELECT datallowconn AS open, shobj_description(oid, 'pg_database') AS comment
  FROM pg_database WHERE datname = $1`;
const INSUFFICIENT_PRIVILEGE = '42501';

/** The address of the scratch database beside the one at `url`. */
export function scratchBeside(url: string): string {
  const address = new URL(url);
  address.pathname += '_rehearsal';
  return address.href;
}

/**
 * Runs `work` on an empty database at `url`, which is dropped afterwards. Drops what an earlier run left behind first.
 * Throws `StartupError` if the database exists and an earlier run did not create it.
 */
export async function withScratchDatabase(url: string, work: () => Promise<void>): Promise<void> {
  const { user, database = '' } = new pg.Client({ connectionString: url });
  const server = new URL(url);
  server.pathname = '/postgres';
  const name = pg.escapeIdentifier(database);
  await withConnection(server.href, async (client) => {
    const drop = () => client.query(`DROP DATABASE ${name} WITH (FORCE)`);
    // The lock ends with the connection.
    const locked = `SELECT pg_try_advisory_lock(hashtext('forum rehearsal'), hashtext($1)) AS free`;
    if (!(await ask<{ free: boolean }>(client, locked, [database])).free)
      throw new StartupError(`Another rehearsal uses the database ${database}. Wait until it ends.`);
    const { rows } = await client.query<{ open: boolean; comment: string | null }>(FIND, [database]);
    const [found] = rows;
    // A run that was killed before it stored the comment left a database that accepts no connections.
    if (found?.open && found.comment !== COMMENT)
      throw new StartupError(
        `The database ${database} exists, and no rehearsal created it, so nothing was done. Name another one in REHEARSAL_DATABASE_URL.`,
      );
    if (found) await drop();
    await client
      .query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C' ALLOW_CONNECTIONS false`)
      .catch((error: pg.DatabaseError) => {
        if (error.code !== INSUFFICIENT_PRIVILEGE) throw error;
        throw new StartupError(
          `The role ${user} may not create the scratch database ${database}. Run as a superuser: ALTER ROLE ${user} CREATEDB`,
        );
      });
    await client.query(`COMMENT ON DATABASE ${name} IS '${COMMENT}'`);
    await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    try {
      await work();
    } catch (error) {
      await drop().catch(() => {});
      throw error;
    }
    await drop();
  });
}
