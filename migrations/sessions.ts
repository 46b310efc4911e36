import type pg from 'pg';
import { isPooled } from '../src/platform/postgres/pooler.ts';
import { SESSION_SETTINGS } from '../src/platform/postgres/session.ts';
import { StartupError } from '../src/platform/startupError.ts';

/** Throws `StartupError` if a pooler answers: settings and locks would stay on a session that others use next. */
export async function requireOwnSession(client: pg.ClientBase, setting = 'DATABASE_URL'): Promise<void> {
  if (!(await isPooled(client))) return;
  throw new StartupError(
    `${setting} names a pooler, but this command needs a session of its own. Run it with the address of PostgreSQL itself in ${setting}.`,
  );
}

/** Removes the time limits of a session, for migrations and measurements. */
export const WITHOUT_LIMITS = Object.entries(SESSION_SETTINGS)
  .filter(([, value]) => typeof value === 'number')
  .map(([name]) => `SET ${name} = 0`)
  .join('; ');

export async function storeSessionSettings(connection: { query(text: string): Promise<unknown> }): Promise<void> {
  const commands = Object.entries(SESSION_SETTINGS).map(
    ([name, value]) =>
      `EXECUTE format('ALTER ROLE CURRENT_USER IN DATABASE %I SET ${name} = %L', current_database(), '${value}');`,
  );
  await connection.query(`DO $$ BEGIN ${commands.join(' ')} END $$`);
}
