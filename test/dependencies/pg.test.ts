import assert from 'node:assert/strict';
import { reportedPidOf } from '../../src/dependencies/pg.ts';
import { asAdmin } from '../support/database.ts';

describe('internal members of node-postgres', () => {
  it('hold the process id that the server reported', () =>
    asAdmin(async (client) => {
      const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
      assert.equal(reportedPidOf(client), rows[0].pid);
    }));
});
