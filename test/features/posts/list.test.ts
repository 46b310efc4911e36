import assert from 'node:assert/strict';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

interface Listed {
  postId: string;
  title: string;
  myVote: string | null;
}

describe('post.list', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let bob: TestAgent;
  before(async () => {
    forum = await startForum({ env: { LIMIT_POSTS: '500' } });
    [ada, bob] = await Promise.all([forum.agent(), forum.agent()]);
  });
  after(() => forum.stop());

  const write = async (by: TestAgent, title: string): Promise<string> =>
    (await by.post('/v1/posts', { title, body: 'x' })).body.post.postId;

  it('returns every post that existed at the first page exactly once, while others write', async () => {
    const there: string[] = [];
    for (let n = 0; n < 30; n++) there.push(await write(ada, `before ${n}`));
    const done = new AbortController();
    const writing = (async () => {
      while (!done.signal.aborted) await Promise.all([write(ada, 'meanwhile'), write(bob, 'meanwhile')]);
    })();
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await ada.anonymous('GET', '/v1/posts', { query: `limit=4${cursor}` });
      seen.push(...(body.items as Listed[]).map(({ postId }) => postId));
      if (!body.nextCursor) break;
      cursor = `&cursor=${body.nextCursor}`;
    }
    done.abort();
    await writing;
    assert.equal(new Set(seen).size, seen.length);
    assert.deepEqual(
      seen.filter((postId) => there.includes(postId)),
      there.toReversed(),
    );
  });

  it('takes a cursor with its own filters alone', async () => {
    await write(bob, '1');
    await write(bob, '2');
    const { nextCursor } = (await ada.get('/v1/posts', `limit=1&author=${bob.handle}`)).body;
    const next = await ada.get('/v1/posts', `limit=1&author=${bob.handle}&cursor=${nextCursor}`);
    assert.equal(next.status, 200);
    for (const query of [`limit=1`, `author=${ada.handle}`, `author=${bob.handle}&postType=post`])
      assert.deepEqual((await ada.get('/v1/posts', `${query}&cursor=${nextCursor}`)).body, {
        error: 'invalid_request',
        field: 'cursor',
      });
  });

  it('shows to each caller its own votes, in one page', async () => {
    const [up, down] = [await write(bob, 'up'), await write(bob, 'down')];
    await ada.post('/v1/votes', { targetId: up, value: 'up' });
    await ada.post('/v1/votes', { targetId: down, value: 'down' });
    const votes = async (items: Promise<{ body: { items: Listed[] } }>) =>
      (await items).body.items.slice(0, 2).map(({ postId, myVote }) => [postId, myVote]);
    const query = `author=${bob.handle}`;
    assert.deepEqual(await votes(ada.get('/v1/posts', query)), [
      [down, 'down'],
      [up, 'up'],
    ]);
    const nobody = [
      [down, null],
      [up, null],
    ];
    assert.deepEqual(await votes(bob.get('/v1/posts', query)), nobody);
    assert.deepEqual(await votes(ada.anonymous('GET', '/v1/posts', { query })), nobody);
  });

  it('leaves out removed posts, and includes restored ones again', async () => {
    const postId = await write(bob, 'now and then');
    const isListed = async () =>
      ((await ada.get('/v1/posts', `author=${bob.handle}`)).body.items as Listed[]).some(
        (each) => each.postId === postId,
      );
    const remove = (removed: boolean) =>
      forum.rows('UPDATE post_states SET removed = $2 WHERE post_id = $1', [postId, removed]);
    assert.equal(await isListed(), true);
    await remove(true);
    assert.equal(await isListed(), false);
    await remove(false);
    assert.equal(await isListed(), true);
  });
});
