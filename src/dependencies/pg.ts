import type { Socket } from 'node:net';
import type pg from 'pg';

/** Internal members of node-postgres; `test/dependencies/pg.test.ts` tests each of them. */

/** The process id that the server, or a pooler in its place, reported when the session started. */
export const reportedPidOf = (client: pg.ClientBase): number => (client as unknown as { processID: number }).processID;

/** The socket of a connected client. */
export const socketOf = (client: pg.ClientBase): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream;
