import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { reportedPidOf } from '../../dependencies/internals.ts';
import { StartupError } from '../startupError.ts';

const CONNECT_TIMEOUT_MS = 5_000;
/** For a server that accepts the connection and then does not answer. */
const ANSWER_TIMEOUT_MS = 3_000;
const BACKEND: pg.QueryConfig & { query_timeout: number } = {
  text: 'SELECT pg_backend_pid() AS pid',
  query_timeout: ANSWER_TIMEOUT_MS,
};
/** Other clients of the pooler may come between. A pooler in session mode never changes the session. */
const MAX_ROUNDS = 100;
const OTHER_SESSION_MS = 500;

/**
 * Returns true for a session through a pooler: the process id that its start reported is not that of the server
 * process.
 */
export async function isPooled(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>(BACKEND);
  return rows[0]!.pid !== reportedPidOf(client);
}

/** Throws `StartupError` if a pooler answers: settings and locks would stay on a session that others use next. */
export async function requireOwnSession(client: pg.ClientBase, setting = 'DATABASE_URL'): Promise<void> {
  if (!(await isPooled(client))) return;
  throw new StartupError(
    `${setting} names a pooler, but this command needs a session of its own. Run it with the address of PostgreSQL itself in ${setting}.`,
  );
}

/** Rejects if a pooler loses named statements (docs/operations#a-pooler). A second client takes the session away. */
export async function requireKeptNames(url: string): Promise<void> {
  const config = { connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS };
  const [asking, taking] = [new pg.Client(config), new pg.Client(config)];
  const clients = [asking, taking];
  // The statement that waits reports the loss of a connection.
  for (const client of clients) client.on('error', () => {});
  try {
    await asking.connect();
    if (!(await isPooled(asking))) return;
    await taking.connect();
    // A session of the pooler may still have the named statements of an earlier start.
    const named = { ...BACKEND, name: `forum.kept.${randomUUID()}` };
    const ask = async () => (await asking.query<{ pid: number }>(named)).rows[0]!.pid;
    const first = await ask();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      await taking.query('BEGIN');
      const asked = ask();
      const another = await Promise.race([asked, sleep(OTHER_SESSION_MS)]);
      await Promise.all([taking.query('COMMIT'), asked]);
      if (another !== first) return;
    }
  } finally {
    for (const client of clients) await client.end().catch(() => {});
  }
}
