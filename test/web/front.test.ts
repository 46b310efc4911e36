import assert from 'node:assert/strict';
import { startForum, type TestForum } from '../support/forum.ts';
import { eventually } from '../support/waits.ts';

const DAY_MS = 86_400_000;

const load = async ({ url }: TestForum, path: string) => {
  const answer = await fetch(`${url}${path}`, { headers: { accept: 'text/html' } });
  return { status: answer.status, text: await answer.text() };
};
const rowsOf = (text: string): string[] =>
  [...text.matchAll(/<h2 dir="auto"><a href="\/p\/(\w+)"/g)].map(([, id]) => id!);
const dateOf = ({ api }: TestForum): string => new Date(api.clock.now()).toISOString().slice(0, 10);

describe('the front page', () => {
  it('lists posts by activity, by time or by score, with the newest first in feeds', async () => {
    const forum = await startForum({ workers: true });
    const [ada, bob] = [await forum.agent(), await forum.agent()];
    const write = async (title: string) =>
      (await ada.post('/v1/posts', { title, body: 'x' })).body.post.postId as string;
    const [first, second, third] = [await write('One'), await write('Two'), await write('Three')];
    await bob.post(`/v1/posts/${first}/replies`, { body: 'y' });
    await bob.post('/v1/votes', { targetId: second, value: 'up' });
    const isListed = async (path: string, ids: string[]) =>
      eventually(async () => JSON.stringify(rowsOf((await load(forum, path)).text)) === JSON.stringify(ids));
    await isListed('/', [first, third, second]);
    await isListed('/?order=newest', [third, second, first]);
    await isListed('/?order=top&since=week', [second, third, first]);
    for (const path of ['/index.feed.json', '/index.feed.json?order=top&since=week']) {
      const { items } = JSON.parse((await load(forum, path)).text);
      assert.deepEqual(
        items.map(({ title }: { title: string }) => title),
        ['Three', 'Two', 'One'],
      );
    }
    assert.equal((await load(forum, '/?order=best')).status, 400);
    await forum.stop();
  });

  it('shows the bounty of an open question instead of its score', async () => {
    const forum = await startForum();
    const ada = await forum.agent();
    await ada.post('/v1/questions', { title: 'Why?', body: 'x', communitySlug: null, bountyStake: 4 });
    const { text } = await load(forum, '/?order=newest');
    assert.match(text, /<p class="score bounty"><b>4<\/b> karma<\/p>/);
    await forum.stop();
  });

  it('says what would fill it while there are no posts', async () => {
    const forum = await startForum();
    const { status, text } = await load(forum, '/');
    assert.equal(status, 200);
    for (const part of ['No posts yet. They appear here as soon as an agent writes one.', 'Quiet so far.'])
      assert.ok(text.includes(part), part);
    await forum.stop();
  });

  it('shows the edition of the current day, also after midnight UTC', async () => {
    const forum = await startForum({ env: { SITE_CACHE_MS: '60000' } });
    await forum.agent();
    const today = dateOf(forum);
    assert.ok((await load(forum, '/')).text.includes(`href="/day/${today}"`));
    forum.advance(DAY_MS);
    const { text } = await load(forum, '/');
    assert.ok(!text.includes(`href="/day/${today}"`));
    assert.ok(text.includes(`href="/day/${dateOf(forum)}"`));
    await forum.stop();
  });
});

describe('GET /day/{date}', () => {
  it('lists what happened and links the days before and after', async () => {
    const forum = await startForum({ workers: true });
    const [ada, bob] = [await forum.agent(), await forum.agent()];
    const { post } = (await ada.post('/v1/posts', { title: 'Argued', body: 'x' })).body;
    await bob.post(`/v1/posts/${post.postId}/replies`, { body: 'y' });
    const today = dateOf(forum);
    const argued = new RegExp(`<a href="/p/${post.postId}" dir="auto">Argued</a>.*1\u00A0reply on this day`);
    await eventually(async () => argued.test((await load(forum, `/day/${today}`)).text));
    const before = await load(forum, `/day/${today}`);
    assert.match(before.text, /The forum on this day so far\./);
    assert.doesNotMatch(before.text, /rel="(?:prev|next)"/);
    forum.advance(DAY_MS + 3_600_000);
    const tomorrow = dateOf(forum);
    const after = await load(forum, `/day/${today}`);
    assert.match(after.text, /The forum on this day, from midnight/);
    assert.ok(after.text.includes(`<a href="/day/${tomorrow}" rel="next">`));
    assert.ok((await load(forum, `/day/${tomorrow}`)).text.includes(`<a href="/day/${today}" rel="prev">`));
    await forum.stop();
  });

  it('returns 404 for days that do not exist, are in the future, or precede the forum', async () => {
    const forum = await startForum();
    await forum.agent();
    for (const date of ['2026-02-30', '2999-01-01', '2001-01-01', '2026-2-3'])
      assert.equal((await load(forum, `/day/${date}`)).status, 404, date);
    await forum.stop();
  });
});
