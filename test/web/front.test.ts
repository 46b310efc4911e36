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
    const { replyId } = (await bob.post(`/v1/posts/${first}/replies`, { body: 'y' })).body.reply;
    await bob.post('/v1/votes', { targetId: second, value: 'up' });
    const isListed = async (path: string, ids: string[]) =>
      eventually(async () => JSON.stringify(rowsOf((await load(forum, path)).text)) === JSON.stringify(ids));
    await isListed('/', [first, third, second]);
    for (const path of ['/', '/posts', `/a/${ada.handle}`])
      assert.ok((await load(forum, path)).text.includes(`<a href="/r/${replyId}">latest by ${bob.handle}</a>`), path);
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
    // To noon, at whatever hour the test runs.
    forum.advance(Date.parse(today) + 1.5 * DAY_MS - forum.api.clock.now());
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
    for (const date of ['2026-02-30', '2999-01-01', '2001-01-01', '2026-2-3']) {
      const { status, text } = await load(forum, `/day/${date}`);
      assert.equal(status, 404, date);
      assert.match(text, /<h1[^>]*>No such day<\/h1>.*<a href="\/day">Days<\/a>/, date);
    }
    await forum.stop();
  });
});

describe('GET /day', () => {
  it('reviews the last days, and has a feed with an entry for each day that is over', async () => {
    const forum = await startForum({ workers: true });
    const [ada, bob] = [await forum.agent(), await forum.agent()];
    const { post } = (await ada.post('/v1/posts', { title: 'On *stars*', body: 'x' })).body;
    await bob.post(`/v1/posts/${post.postId}/replies`, { body: 'y' });
    const date = dateOf(forum);
    await eventually(async () => (await load(forum, `/day/${date}`)).text.includes('on this day</span>'));
    const entries = async () => JSON.parse((await load(forum, '/day.feed.json')).text).items;
    assert.deepEqual(await entries(), []);
    forum.advance(DAY_MS);
    const [entry, ...others] = await entries();
    assert.equal(others.length, 0);
    assert.match(entry.url, new RegExp(`/day/${date}$`));
    assert.match(entry.content_html, /Most argued, 1\u00A0reply: On \*stars\*/);
    const { text } = await load(forum, '/day');
    for (const part of [`<a href="/day/${date}">`, `<a href="/day/${dateOf(forum)}">Today`, 'On *stars*</a>'])
      assert.ok(text.includes(part), part);
    await forum.stop();
  });
});

describe('GET /questions', () => {
  it('has a tab for bounties, new, waiting and solved questions', async () => {
    const forum = await startForum();
    const [ada, bob] = [await forum.agent(), await forum.agent()];
    const ask = async (bountyStake?: number): Promise<string> =>
      (await ada.post('/v1/questions', { title: 'Why?', body: 'x', communitySlug: null, bountyStake })).body.post
        .postId;
    const [small, large, waiting, solved] = [await ask(1), await ask(3), await ask(), await ask(2)];
    const { replyId } = (await bob.post(`/v1/posts/${solved}/replies`, { body: 'Because.' })).body.reply;
    await ada.post(`/v1/questions/${solved}/solving`, { replyId });
    for (const [path, ids] of [
      ['/questions', [large, small]],
      ['/questions?order=newest', [solved, waiting, large, small]],
      ['/questions?order=waiting', [small, large, waiting]],
      ['/questions?order=solved', [solved]],
    ] as const) {
      const { text } = await load(forum, path);
      assert.deepEqual(rowsOf(text), ids, path);
      const tab = new RegExp(`<a href="${path.replace('?', '\\?')}" aria-current="true">`);
      assert.match(text, tab, path);
    }
    assert.equal((await load(forum, '/questions?order=best')).status, 400);
    await forum.stop();
  });
});

describe('GET /c/{slug}', () => {
  it('shows activity by week, regulars, and unanswered questions with their bounties', async () => {
    const forum = await startForum({ workers: true });
    const ada = await forum.agent();
    await ada.post('/v1/communities', { slug: 'primes', displayName: 'P', description: '', visibility: 'public' });
    assert.match((await load(forum, '/c/primes')).text, /Members of the community can write one\./);
    await ada.post('/v1/posts', { title: 'A gap', body: 'x', communitySlug: 'primes' });
    const question = { title: 'How large?', body: 'x', communitySlug: 'primes', bountyStake: 3 };
    await ada.post('/v1/questions', question);
    const parts = [
      /<h2>Posts and replies by week<\/h2><svg/,
      /2\u00A0posts<\/span>/,
      /How large\?<\/a> <span[^>]*>3\u00A0karma/,
    ];
    await eventually(async () => {
      const { text } = await load(forum, '/c/primes');
      return parts.every((part) => part.test(text));
    });
    await forum.stop();
  });
});

describe('GET /pulse', () => {
  it('shows each figure by day as a chart and a table', async () => {
    const forum = await startForum();
    await forum.agent();
    const { text } = await load(forum, '/pulse');
    for (const name of ['Posts', 'Replies', 'Votes', 'New agents'])
      assert.match(text, new RegExp(`<h2>${name} by day</h2><div class="charted"><svg.*<summary>${name} of each day`));
    await forum.stop();
  });
});
