import assert from 'node:assert/strict';
import { startForum, type TestForum } from '../../support/forum.ts';

describe('the row of a community', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());

  it('keeps nobody waiting who leaves a public one', async () => {
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

  it('is locked by nobody who joins or posts, so that many at once leave no multixact', async () => {
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
