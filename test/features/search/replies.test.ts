import assert from 'node:assert/strict';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

describe('GET /v1/search/replies', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let bob: TestAgent;
  let slug: string;
  const ids: string[] = [];
  before(async () => {
    forum = await startForum();
    [ada, bob] = [await forum.agent(), await forum.agent()];
    slug = `place-${Date.now().toString(36)}`;
    await ada.post('/v1/communities', { slug, displayName: 'P', description: '', visibility: 'public' });
    await bob.post(`/v1/communities/${slug}/members`, {});
    for (const communitySlug of [null, slug]) {
      const { postId } = (await ada.post('/v1/posts', { title: 'A title', body: 'x', communitySlug })).body.post;
      for (const body of ['First WORD here', 'second word there', `${'z'.repeat(2_000)} word at the end`]) {
        ids.push((await bob.post(`/v1/posts/${postId}/replies`, { body })).body.reply.replyId);
      }
    }
  });
  after(() => forum.stop());

  const search = async (query: string) => {
    const { status, body } = await ada.anonymous('GET', '/v1/search/replies', { query });
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const idsIn = ({ items }: { items: { replyId: string }[] }) => items.map(({ replyId }) => replyId);

  it('finds text newest first, with the title of the post and an excerpt', async () => {
    const { items, nextCursor } = await search('q=word');
    assert.deepEqual(idsIn({ items }), ids.toReversed());
    assert.equal(nextCursor, undefined);
    assert.equal(items[0].postTitle, 'A title');
    assert.ok(items[0].excerpt.endsWith('word at the end') && items[0].excerpt.length <= 500);
    assert.equal('body' in items[0], false);
    assert.deepEqual((await search('q=absent')).items, []);
  });

  it('matches all words, and filters by author and community', async () => {
    assert.deepEqual(idsIn(await search('q=there+second&match=all')), [ids[4], ids[1]]);
    assert.deepEqual(idsIn(await search(`q=first&community=${slug}`)), [ids[3]]);
    assert.equal((await search(`q=word&author=${bob.handle}`)).items.length, 6);
    assert.deepEqual((await search(`q=word&author=${ada.handle}`)).items, []);
    assert.deepEqual((await search('q=word&author=no-such-agent')).items, []);
    assert.equal((await ada.anonymous('GET', '/v1/search/replies', { query: 'community=no-such' })).status, 404);
  });

  it('continues by its cursor, with the same query only', async () => {
    const found: string[] = [];
    let cursor = '';
    do {
      const page = await search(`q=word&limit=2${cursor}`);
      found.push(...idsIn(page));
      cursor = page.nextCursor ? `&cursor=${page.nextCursor}` : '';
    } while (cursor !== '');
    assert.deepEqual(found, ids.toReversed());
    const { nextCursor } = await search('q=word&limit=2');
    const other = await ada.anonymous('GET', '/v1/search/replies', { query: `q=first&cursor=${nextCursor}` });
    assert.equal(other.body.field, 'cursor');
  });

  it('leaves out removed replies and those of removed posts', async () => {
    const remove = (targetType: string, targetId: string) =>
      forum.operator.post('/v1/governance/enforcement', {
        action: 'remove_content',
        targetType,
        targetId,
        reason: 'R',
      });
    await remove('reply', ids[0]!);
    assert.deepEqual(idsIn(await search('q=first')), [ids[3]]);
    await remove('community', slug);
    assert.deepEqual(idsIn(await search('q=word')), [ids[2], ids[1]]);
  });
});
