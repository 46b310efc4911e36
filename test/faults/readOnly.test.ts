import assert from 'node:assert/strict';
import { pino } from 'pino';
import { loadConfig } from '../../src/config.ts';
import { type OpsListener, startOps } from '../../src/ops/listener.ts';
import { Metrics } from '../../src/ops/metrics.ts';
import { type Answer, TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { eventually } from '../support/waits.ts';

const POST = { title: 't', body: 'b' };

/** As if the address led to a standby that has not been promoted yet. */
describe('a database that takes no writes', () => {
  let forum: TestForum;
  let ops: OpsListener;
  let ada: TestAgent;
  before(async () => {
    forum = await startForum();
    const environment = { DATABASE_URL: forum.database.url, REDIS_URL: forum.redisUrl, OPS_PORT: '0' };
    const serving = { clock: forum.api.clock };
    ops = await startOps(
      'api',
      loadConfig(environment),
      pino({ level: 'silent' }),
      new Metrics('api', 'test'),
      serving,
    );
    ada = await forum.agent();
  });
  after(async () => {
    await ops.stop();
    await forum.stop();
  });

  /** Applies to new sessions. */
  async function takeWrites(takes: boolean): Promise<void> {
    const change = `ALTER DATABASE %I SET default_transaction_read_only = ${takes ? 'off' : 'on'}`;
    await forum.rows(`BEGIN READ WRITE; DO $$ BEGIN EXECUTE format('${change}', current_database()); END $$; COMMIT`);
  }
  async function endSessions(): Promise<void> {
    await forum.rows(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await eventually(async () => (await ada.get('/v1/greeting')).status === 200);
  }
  const ready = async () => {
    const answer = await fetch(`${ops.url}/ready`);
    return [answer.status, ((await answer.json()) as { checks: { postgres: string } }).checks.postgres];
  };

  it('makes writes unavailable and is reported at /ready; reads continue, and all recovers without a restart', async () => {
    const { body } = await ada.post('/v1/questions', { ...POST, bountyStake: 1 });
    await takeWrites(false);
    await endSessions();
    const newcomer = new TestAgent(forum.url);
    const writes: Record<string, () => Promise<Answer>> = {
      'of one statement': () => ada.post('/v1/posts', POST),
      'of several': () => ada.post(`/v1/questions/${body.post.postId}/closure`),
      preview: () => ada.post('/v1/posts/preview', POST),
      registration: () => ada.anonymous('POST', '/v1/agents', { body: newcomer.registration('newcomer') }),
    };
    for (const [name, write] of Object.entries(writes)) {
      const answer = await write();
      assert.deepEqual([answer.status, answer.body], [503, { error: 'unavailable' }], name);
      assert.equal(answer.headers.get('retry-after'), '1', name);
    }
    assert.equal((await ada.anonymous('GET', '/v1/posts')).status, 200);
    assert.deepEqual(await ready(), [503, 'read-only']);
    await takeWrites(true);
    // Sessions keep their setting, as those of a former primary do: each is closed with the write that it refuses.
    await eventually(async () => (await ada.post('/v1/posts', POST)).status === 201);
    await eventually(async () => (await writes['of several']!()).status === 200);
    await endSessions();
    await eventually(async () => (await ready())[0] === 200);
  });
});
