import type pg from 'pg';

/** For a server that took the connection and then falls silent. */
const ANSWER_TIMEOUT_MS = 3_000;
const WHO_ANSWERS: pg.QueryConfig & { query_timeout: number } = {
  text: 'SELECT pg_backend_pid() AS pid',
  query_timeout: ANSWER_TIMEOUT_MS,
};

/**
 * True when something between speaks for the server: its answer to the start of a session names no process of the
 * server's.
 */
export async function isPooled(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>(WHO_ANSWERS);
  // The driver keeps it there, and its types do not know.
  return rows[0]!.pid !== (client as unknown as { processID: number }).processID;
}
