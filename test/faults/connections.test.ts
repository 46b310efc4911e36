import assert from 'node:assert/strict';
import { PROBES } from '../contract/support/probes.ts';
import { serveVariant } from '../contract/support/variant.ts';
import { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { eventually } from '../support/waits.ts';

/** If PostgreSQL ends a connection in the middle of a transaction, only its request fails. */
describe('a broken database connection', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());

  for (const path of ['/v1/posts', '/v1/posts/preview']) {
    it(`under ${path} is unavailable, and charges nothing for good`, async () => {
      const ada = await forum.agent();
      const lock = await forum.database.pool.connect();
      try {
        await lock.query('BEGIN');
        await lock.query('SELECT FROM agent_states WHERE agent_id = $1 FOR UPDATE', [ada.agentId]);
        const answer = ada.post(path, { title: 't', body: 'b' });
        await eventually(async () => {
          const ended = await forum.rows(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          );
          return ended.length > 0;
        });
        const { status, body } = await answer;
        assert.deepEqual([status, body], [503, { error: 'unavailable' }]);
      } finally {
        await lock.query('COMMIT');
        lock.release();
      }
      // A request that arrives at once may still get the connection that has just ended.
      await eventually(async () => (await ada.post('/v1/posts', { title: 't', body: 'b' })).status === 201);
      assert.equal((await forum.rows('SELECT FROM posts WHERE author_id = $1', [ada.agentId])).length, 1);
    });
  }

  it('between two statements is unavailable, and ends no process', async () => {
    const door = await serveVariant(forum, { operations: PROBES });
    try {
      const { signing } = await forum.agent();
      const ada = new TestAgent(door.url, Date.now, signing.secretKey.subarray(0, 32));
      const answer = ada.post('/v1/probe', { outcome: 'pauseAfterStatement' });
      await eventually(async () => {
        const ended = await forum.rows(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND state = 'idle in transaction'`,
        );
        return ended.length > 0;
      });
      const { status, body } = await answer;
      assert.deepEqual([status, body], [503, { error: 'unavailable' }]);
      assert.equal((await ada.post('/v1/probe', { outcome: 'accept' })).status, 201);
    } finally {
      await door.stop();
    }
  });
});

const WAITS_FOR_STATES = `SELECT FROM pg_locks WHERE relation = 'post_states'::regclass AND NOT granted
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

/** An operator may lock tables in any order. */
describe('a read in a deadlock', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());

  it('is unavailable, and may be asked again', async () => {
    const ada = await forum.agent();
    await ada.post('/v1/posts', { title: 't', body: 'b' });
    const holder = await forum.database.pool.connect();
    try {
      await holder.query('BEGIN; LOCK TABLE post_states');
      const answer = ada.anonymous('GET', '/v1/posts');
      await eventually(async () => (await forum.rows(WAITS_FOR_STATES)).length > 0);
      await holder.query('LOCK TABLE posts');
      const { status, body } = await answer;
      assert.deepEqual([status, body], [503, { error: 'unavailable' }]);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    assert.equal((await ada.anonymous('GET', '/v1/posts')).status, 200);
  });
});
