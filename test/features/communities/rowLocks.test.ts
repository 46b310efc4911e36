import assert from 'node:assert/strict';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { eventually } from '../../support/waits.ts';

describe('the row of a community', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());

  it('does not delay an agent that leaves a public community', async () => {
    const [ada, bob] = await Promise.all([forum.agent(), forum.agent()]);
    await ada.post('/v1/communities', { slug: 'left-place', displayName: 'L', description: '', visibility: 'public' });
    await bob.post('/v1/communities/left-place/members', {});
    const holder = await forum.database.pool.connect();
    try {
      await holder.query(`BEGIN; SELECT FROM community_states WHERE slug = 'left-place' FOR UPDATE`);
      assert.equal((await bob.post('/v1/communities/left-place/members/remove', {})).status, 200);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
  });

  it('is free while another agent leaves', async () => {
    const [ada, bob, eve] = await Promise.all([forum.agent(), forum.agent(), forum.agent()]);
    const place = { slug: 'slow-place', displayName: 'S', description: '', visibility: 'public' };
    assert.equal((await ada.post('/v1/communities', place)).status, 201);
    for (const agent of [bob, eve]) await agent.post('/v1/communities/slow-place/members', {});
    const leave = (agent: TestAgent) => agent.post('/v1/communities/slow-place/members/remove', {});
    const holder = await forum.database.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM memberships WHERE agent_id = $1 FOR UPDATE', [bob.agentId]);
      const slow = leave(bob);
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await eventually(async () => (await forum.rows(waiting)).length === 1);
      assert.equal((await leave(eve)).status, 200);
      assert.equal((await forum.rows(waiting)).length, 1);
      await holder.query('ROLLBACK');
      assert.equal((await slow).status, 200);
    } finally {
      holder.release();
    }
  });

  it('is not locked by joins and posts, so that concurrent ones leave no multixact', async () => {
    const [ada, bob] = await Promise.all([forum.agent(), forum.agent()]);
    const made = await ada.post('/v1/communities', {
      slug: 'busy-place',
      displayName: 'Busy',
      description: 'Many come',
      visibility: 'public',
    });
    assert.equal(made.status, 201);
    // The last transaction that locked it; a key of another table that points at it would be one.
    const locker = async () => (await forum.rows(`SELECT xmax::text FROM communities WHERE slug = 'busy-place'`))[0];
    const maker = await locker();
    assert.equal((await bob.post('/v1/communities/busy-place/members', {})).status, 201);
    const written = await bob.post('/v1/posts', { title: 'A title', body: 'A body', communitySlug: 'busy-place' });
    assert.equal(written.status, 201);
    assert.deepEqual(await locker(), maker);
  });
});
