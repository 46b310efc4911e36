import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { reportedPidOf } from '../../dependencies/internals.ts';
import { StartupError } from '../startupError.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** For a server that took the connection and then falls silent. */
const ANSWER_TIMEOUT_MS = 3_000;
const WHO_ANSWERS: pg.QueryConfig & { query_timeout: number } = {
  text: 'SELECT pg_backend_pid() AS pid',
  query_timeout: ANSWER_TIMEOUT_MS,
};
/** Others on the same pooler may come between; one in session mode never changes a session. */
const MOST_ROUNDS = 100;
/** For another session, where a pooler has one. */
const PATIENCE_MS = 500;

/** True for a session through a pooler: the process id that its start reported is not that of the server process. */
export async function isPooled(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>(WHO_ANSWERS);
  return rows[0]!.pid !== reportedPidOf(client);
}

/**
 * Throws `StartupError` where a pooler answers. For programs that change the settings of their session or keep a lock on it:
 * through a pooler those would stay on a session that others use next. `setting` is where the address comes from.
 */
export async function requireOwnSession(client: pg.ClientBase, setting = 'DATABASE_URL'): Promise<void> {
  if (!(await isPooled(client))) return;
  throw new StartupError(
    `${setting} leads to a pooler, and this command needs a session of its own: run it with the address of PostgreSQL itself in ${setting}.`,
  );
}

/**
 * Asks whether a statement that got a name on a connection is there when a pooler has changed the session behind it
 * (docs/operations#a-pooler): rejects with what PostgreSQL says when it is not. Left to chance, a start may succeed and requests
 * fail later; so a second connection takes away the session that the first one had, until that is given another.
 */
export async function requireKeptNames(url: string): Promise<void> {
  const config = { connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS };
  const [asking, taking] = [new pg.Client(config), new pg.Client(config)];
  const clients = [asking, taking];
  // What a connection is lost by is told by the statement that waits for it.
  for (const client of clients) client.on('error', () => {});
  try {
    await asking.connect();
    if (!(await isPooled(asking))) return;
    await taking.connect();
    // Sessions of a pooler that keeps none may still have what another start has named.
    const named = { ...WHO_ANSWERS, name: `forum.kept.${randomUUID()}` };
    const ask = async () => (await asking.query<{ pid: number }>(named)).rows[0]!.pid;
    const first = await ask();
    for (let round = 0; round < MOST_ROUNDS; round++) {
      await taking.query('BEGIN');
      const asked = ask();
      const another = await Promise.race([asked, sleep(PATIENCE_MS)]);
      await Promise.all([taking.query('COMMIT'), asked]);
      if (another !== first) return;
    }
  } finally {
    for (const client of clients) await client.end().catch(() => {});
  }
}
