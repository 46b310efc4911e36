import assert from 'node:assert/strict';
import type { TestAgent } from '../support/agent.ts';
import { asAdmin } from '../support/database.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { assertVerified } from '../support/verify.ts';

/** What an operator may have set for a database, and what another client of it wants. */
const OF_THE_DATABASE = {
  default_transaction_isolation: 'repeatable read',
  DateStyle: 'German, DMY',
  IntervalStyle: 'sql_standard',
  TimeZone: 'America/St_Johns',
  array_nulls: 'off',
  bytea_output: 'escape',
  extra_float_digits: '-15',
};
const ASKED_AT_ONCE = 100;

describe('a database with settings of its own', () => {
  let forum: TestForum;
  let agents: TestAgent[];
  before(async () => {
    forum = await startForum({
      prepare: async (url) => {
        const name = new URL(url).pathname.slice(1);
        for (const [setting, value] of Object.entries(OF_THE_DATABASE)) {
          await asAdmin((admin) => admin.query(`ALTER DATABASE ${name} SET ${setting} = '${value}'`));
        }
      },
    });
    agents = await Promise.all(Array.from({ length: 10 }, () => forum.agent()));
  });
  after(() => forum.stop());

  it('returns times in its own time zone and format', async () => {
    const { body } = await agents[0]!.post('/v1/posts', { title: 't', body: 'b' });
    const read = await agents[0]!.anonymous('GET', `/v1/posts/${body.post.postId}`);
    assert.equal(read.status, 200, JSON.stringify(read.body));
    assert.equal(read.body.post.createdAt, body.post.createdAt);
  });

  it('goes by the time of the database', async () => {
    const { rows } = await forum.database.pool.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    const offMs = forum.api.clock.now() - rows[0]!.now.getTime();
    assert.ok(Math.abs(offMs) < 1_000, `${offMs} ms`);
  });

  it('accepts concurrent writes and accounts for all of them', async () => {
    const question = { title: 't', body: 'b', bountyStake: 1 };
    const answers = await Promise.all(
      Array.from({ length: ASKED_AT_ONCE }, (_, n) => agents[n % agents.length]!.post('/v1/questions', question)),
    );
    const refused = answers.filter(({ status }) => status !== 201 && status !== 402 && status !== 429);
    assert.deepEqual(
      refused.map(({ status, body }) => `${status} ${body.error}`),
      [],
    );
    await assertVerified(forum);
  });
});
