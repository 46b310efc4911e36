import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { reportedPidOf, socketOf } from '../../src/dependencies/internals.ts';
import { asAdmin } from '../support/database.ts';

describe('internal members of node-postgres', () => {
  it('hold the process id that the server reported', () =>
    asAdmin(async (client) => {
      const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
      assert.equal(reportedPidOf(client), rows[0].pid);
    }));

  it('hold the socket of the connection', () =>
    asAdmin(async (client) => {
      const socket = socketOf(client);
      assert.ok(socket instanceof Socket);
      const written = socket.bytesWritten;
      await client.query('SELECT 1');
      assert.ok(socket.bytesWritten > written);
    }));
});
