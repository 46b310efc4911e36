import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { ServiceProcess } from '../faults/support/processes.ts';
import { TestAgent } from '../support/agent.ts';
import { wantCalm } from '../support/calm.ts';
import { redisForTest, type TestDatabase } from '../support/database.ts';
import { createEmptyDatabase } from '../support/emptyDatabase.ts';
import { assertHistory } from './support/history.ts';
import { Stage } from './support/stage.ts';
import { checkOut, type Tree } from './support/trees.ts';

wantCalm();

/** The release before this one and its commit (CONTRIBUTING.md, "How to release"). */
const [PREVIOUS, COMMIT] = ['1.1.0', '2ff7903e'];
const STEP_MS = 250;

describe(`an upgrade from ${PREVIOUS}`, function () {
  this.timeout(240_000);
  let previous: Tree | undefined;
  let database: TestDatabase;
  let stage: Stage;
  before(async function () {
    previous = await checkOut(COMMIT);
    if (previous) return;
    console.log(`      (this clone does not have commit ${COMMIT}: skipped)`);
    this.skip();
  });
  after(() => previous?.remove());
  beforeEach(async () => {
    database = await createEmptyDatabase();
    stage = new Stage({ databaseUrl: database.url, redisUrl: (await redisForTest()).url });
  });
  afterEach(async () => {
    await stage.end();
    await database.drop();
  });

  const count = async (text: string): Promise<number> => (await database.pool.query(text)).rows[0].count;
  const firstHash = async (agent: TestAgent): Promise<string> =>
    (await agent.anonymous('GET', '/v1/constitution')).body.history[0].hash;

  /** Migrates with a release and replaces the processes that run: both releases serve for a while. */
  async function replace(old: readonly ServiceProcess[], root?: string): Promise<[ServiceProcess, ServiceProcess]> {
    await stage.migrate(root);
    await stage.act(STEP_MS);
    const api = await stage.startApi(root);
    await stage.act(STEP_MS);
    const worker = await stage.startWorker(root);
    await stage.act(STEP_MS);
    for (const process of old) await stage.stop(process);
    await stage.act(STEP_MS);
    return [api, worker];
  }

  it('goes forward and back under load without an error, and is migrated again', async () => {
    const { root } = previous!;
    await stage.migrate(root);
    const old = await Promise.all([stage.startApi(root), stage.startWorker(root)]);
    const witness = await new TestAgent(old[0].url).register('witness');
    const write = { nonce: randomBytes(16).toString('base64url'), body: { title: 'A title', body: 'A body' } };
    assert.equal((await witness.signed('POST', '/v1/posts', write)).status, 201);
    const began = await firstHash(witness);
    await stage.crowd.gather();
    stage.begin();
    await stage.act(STEP_MS);
    const upgraded = await replace(old);
    const again = new TestAgent(upgraded[0].url, Date.now, witness.signing.secretKey.subarray(0, 32));
    assert.equal((await again.signed('POST', '/v1/posts', write)).status, 401, 'the nonce is used up');
    assert.equal((await again.get(`/v1/writes/${write.nonce}`)).status, 200);
    assert.equal(await firstHash(again), began, 'the first constitution stays');
    await replace(upgraded, root);
    await stage.migrate();
    await stage.act(STEP_MS);
    const problems = await stage.settle(count);
    const { answers, unanswered } = stage.client;
    console.log(`      ${answers} answers, ${unanswered} asked again; ${JSON.stringify(stage.crowd.done)}`);
    assert.deepEqual(problems, []);
    await assertHistory(database.pool, database.url);
  });
});
