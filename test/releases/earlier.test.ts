import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { TestAgent } from '../support/agent.ts';
import { wantCalm } from '../support/calm.ts';
import { redisForTest, type TestDatabase } from '../support/database.ts';
import { createEmptyDatabase } from '../support/emptyDatabase.ts';
import { assertHistory } from './support/history.ts';
import { Stage } from './support/stage.ts';
import { checkOut, type Tree } from './support/trees.ts';

wantCalm();

/** The commit of each release whose processes may run beside this one (CONTRIBUTING.md, "How a change lands"). */
const RELEASES = { '1.0.0': '8f8a844', '1.1.0': '2ff7903e' };
const STEP_MS = 800;

// Everything that an earlier release left in PostgreSQL and Redis is taken over by this one while its processes go on.
for (const [release, commit] of Object.entries(RELEASES)) {
  describe(`this release beside ${release}`, function () {
    this.timeout(120_000);
    let earlier: Tree | undefined;
    let database: TestDatabase;
    let stage: Stage;
    before(async function () {
      earlier = await checkOut(commit);
      if (!earlier) {
        console.log(`      (this clone does not have commit ${commit}: skipped)`);
        this.skip();
      }
      database = await createEmptyDatabase();
      stage = new Stage({ databaseUrl: database.url, redisUrl: (await redisForTest()).url });
    });
    after(async () => {
      if (!earlier) return;
      await stage.end();
      await database.drop();
      await earlier.remove();
    });

    const count = async (text: string): Promise<number> => (await database.pool.query(text)).rows[0].count;

    it('is started, and nobody notices', async () => {
      const { root } = earlier!;
      await stage.migrate(root);
      const old = await Promise.all([stage.startApi(root), stage.startWorker(root)]);
      const witness = await new TestAgent(old[0].url).register('witness');
      const write = { nonce: randomBytes(16).toString('base64url'), body: { title: 'A title', body: 'A body' } };
      assert.equal((await witness.signed('POST', '/v1/posts', write)).status, 201);
      const began = await firstHash(witness);
      await stage.crowd.gather();
      stage.begin();
      await stage.act(STEP_MS);
      await stage.migrate();
      const migrated = new Date();
      await stage.act(STEP_MS);
      const api = await stage.startApi();
      await stage.act(STEP_MS);
      await stage.startWorker();
      await stage.act(STEP_MS);
      for (const process of old) await stage.stop(process);
      await stage.act(STEP_MS);
      const again = new TestAgent(api.url, Date.now, witness.signing.secretKey.subarray(0, 32));
      assert.equal((await again.signed('POST', '/v1/posts', write)).status, 401, 'a nonce of before');
      assert.equal((await again.get(`/v1/writes/${write.nonce}`)).status, 200);
      assert.equal(await firstHash(again), began, 'the constitution that was found there');
      const problems = await stage.settle(count);
      const { answers, unanswered } = stage.client;
      console.log(`      ${answers} answers, ${unanswered} asked again; ${JSON.stringify(stage.crowd.done)}`);
      assert.deepEqual(
        problems.filter((problem) => !isDeliveredAgain(problem)),
        [],
      );
      // Release 1.0.0 kept no evidence.
      await assertHistory(database.pool, database.url, release === '1.0.0' ? migrated : undefined);
    });
  });
}

const firstHash = async (agent: TestAgent): Promise<string> =>
  (await agent.anonymous('GET', '/v1/constitution')).body.history[0].hash;

/**
 * A delivery of release 1 that is under way while migration 0023 takes a column away fails as a whole, and its job comes
 * again; that every event is delivered once is looked at afterwards.
 */
const isDeliveredAgain = (problem: string): boolean =>
  problem.includes('"job":"outbox.apply"') && problem.includes('last_at_before');
