import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { asAdmin, databaseUrlNamed, redisForTest } from '../support/database.ts';
import { assertHistory } from './support/history.ts';
import { Stage } from './support/stage.ts';
import { checkOut, type Tree } from './support/trees.ts';

const RELEASE_1 = '8f8a844';
const STEP_MS = 1_500;

/** Everything that release 1 left in PostgreSQL and Redis, taken over by this one while its processes go on. */
describe('this release beside release 1', function () {
  this.timeout(120_000);
  const name = `test_${randomBytes(8).toString('hex')}`;
  let first: Tree | undefined;
  let pool: pg.Pool;
  let stage: Stage;
  before(async function () {
    first = await checkOut(RELEASE_1);
    if (!first) {
      console.log(`      (this clone does not have commit ${RELEASE_1}: skipped)`);
      this.skip();
    }
    await asAdmin((admin) =>
      admin.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8'`),
    );
    const databaseUrl = databaseUrlNamed(name);
    pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
    stage = new Stage({ databaseUrl, redisUrl: (await redisForTest()).url });
  });
  after(async () => {
    if (!first) return;
    await stage.end();
    await pool.end();
    await asAdmin((admin) => admin.query(`DROP DATABASE IF EXISTS ${name}`));
    await first.remove();
  });

  const count = async (text: string): Promise<number> => (await pool.query(text)).rows[0].count;

  it('is started, and nobody notices', async () => {
    const { root } = first!;
    await stage.migrate(root);
    const old = [await stage.startApi(root), await stage.startWorker(root)];
    await stage.crowd.gather();
    stage.begin();
    await stage.act(STEP_MS);
    const migratedFrom = new Date();
    await stage.migrate();
    await stage.act(STEP_MS);
    await stage.startApi();
    await stage.act(STEP_MS);
    await stage.startWorker();
    await stage.act(STEP_MS);
    for (const process of old) await stage.stop(process);
    await stage.act(STEP_MS);
    const problems = await stage.settle(count);
    const { answers, unanswered } = stage.client;
    console.log(`      ${answers} answers, ${unanswered} asked again; ${JSON.stringify(stage.crowd.done)}`);
    assert.deepEqual(problems, []);
    await assertHistory(pool, databaseUrlNamed(name), migratedFrom);
  });
});
