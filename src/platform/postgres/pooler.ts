import type pg from 'pg';
import { reportedPidOf } from '../../dependencies/internals.ts';

/** For a server that accepts the connection and then does not answer. */
const ANSWER_TIMEOUT_MS = 3_000;
export const BACKEND: pg.QueryConfig & { query_timeout: number } = {
  text: 'SELECT pg_backend_pid() AS pid',
  query_timeout: ANSWER_TIMEOUT_MS,
};

/** True for a session through a pooler: its start reported another process id than that of the server process. */
export async function isPooled(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>(BACKEND);
  return rows[0]!.pid !== reportedPidOf(client);
}
