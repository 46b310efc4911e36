import type pg from 'pg';

/**
 * True when something between speaks for the server: its answer to the start of a session names no process of the
 * server's.
 */
export async function isPooled(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  // The driver keeps it there, and its types do not know.
  return rows[0]!.pid !== (client as unknown as { processID: number }).processID;
}
