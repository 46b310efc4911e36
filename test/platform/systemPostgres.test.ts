import assert from 'node:assert/strict';
import { itDoesTheMainJob, type Served, serve } from '../faults/support/mainJob.ts';
import { wantCalm } from '../support/calm.ts';
import { createDatabase, redisForTest, type TestDatabase } from '../support/database.ts';
import { findSystemPostgres, useServerOf } from '../support/systemPostgres.ts';
import { collectStatements, refusedPreparations } from './support/statements.ts';

wantCalm();

/** Built otherwise than the one that the run brings along: with JIT, locales and defaults of the distribution. */
describe("the system's PostgreSQL", function () {
  this.timeout(60_000);
  let server: { stop(): Promise<void> };
  let database: TestDatabase;
  let served: Served;
  before(async function () {
    const found = await findSystemPostgres();
    if (!found) {
      console.log("      (no PostgreSQL below /usr/lib/postgresql: nothing was tried on the system's)");
      return this.skip();
    }
    server = await useServerOf(found);
    database = await createDatabase();
    const env = { DATABASE_URL: database.url, REDIS_URL: (await redisForTest()).url };
    served = await serve(database.url, env);
  });
  after(async () => {
    await served?.stop();
    await database?.drop();
    await server?.stop();
  });

  it('prepares and plans every statement of the service, and compiles none', async () => {
    const asked = await createDatabase();
    try {
      const { declared } = await collectStatements(asked.url);
      assert.deepEqual(await refusedPreparations(asked.url, declared), []);
    } finally {
      await asked.drop();
    }
  });

  itDoesTheMainJob(() => served);

  it('is ready', async () => {
    const answer = await fetch(`${served.opsUrl}/ready`);
    assert.equal(answer.status, 200, await answer.text());
  });
});
