import assert from 'node:assert/strict';
import type { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { type LongThread, writeLongThread } from './support/longThread.ts';
import { brokenTags } from './support/markup.ts';

const REPLIES = 505;
const MOST_COMPRESSED_BYTES = 60_000;

describe('the page of a thread', function () {
  this.timeout(120_000);
  let forum: TestForum;
  let agents: TestAgent[];
  let ada: TestAgent;
  before(async () => {
    forum = await startForum();
    agents = await Promise.all(Array.from({ length: 12 }, () => forum.agent()));
    ada = agents[0]!;
  });
  after(() => forum.stop());

  const load = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${forum.url}${path}`, { headers: { accept: 'text/html', ...headers } });
    return { status: response.status, headers: response.headers, text: await response.text(), url: response.url };
  };
  const write = async (by: TestAgent, path: string, body: object) => {
    const answer = await by.post(path, body);
    assert.ok(answer.status < 300, JSON.stringify(answer.body));
    return answer.body;
  };
  const post = async (title: string) => (await write(ada, '/v1/posts', { title, body: 'x' })).post.postId as string;
  const reply = async (postId: string, body: string, parentReplyId: string | null = null, by = ada) =>
    (await write(by, `/v1/posts/${postId}/replies`, { body, parentReplyId })).reply.replyId as string;
  const remove = (targetId: string) =>
    write(forum.operator, '/v1/governance/enforcement', {
      action: 'remove_content',
      targetType: 'reply',
      targetId,
      reason: 'By the rules',
    });
  const idsOn = (text: string) => [...text.matchAll(/<li id="(r_[a-z0-9]{25})"/g)].map(([, id]) => id!);
  const parentsOn = (text: string) => [...text.matchAll(/<p class="to"><a href="([^"]+)"/g)].map(([, href]) => href!);
  const pages = (text: string) => /<a href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  /** The elements that fold branches: whether each is open, and its summary without markup. */
  const foldsOn = (text: string) =>
    [...text.matchAll(/<details( open)?><summary class="guide">(.*?)<\/summary>/g)].map(([, open, summary]) => ({
      open: open !== undefined,
      summary: summary!.replaceAll(/<[^>]+>/g, '').replace(/\d{4}-.* UTC/, '<time>'),
    }));

  describe('with 505 replies', () => {
    let long: LongThread;
    before(async () => {
      long = await writeLongThread(agents, REPLIES);
    });

    it('has the first 500 in one response of at most 60 KB', async () => {
      const response = await fetch(`${forum.url}/p/${long.postId}`, {
        headers: { accept: 'text/html', 'accept-encoding': 'br' },
      });
      const text = await response.text();
      assert.equal(response.headers.get('content-encoding'), 'br');
      assert.ok(Number(response.headers.get('content-length')) <= MOST_COMPRESSED_BYTES);
      assert.deepEqual(idsOn(text).toSorted(), long.replyIds.slice(0, 500).toSorted());
      assert.deepEqual(brokenTags(text), []);
      assert.ok(text.includes('<p>500 of 505</p>'));
    });

    it('links every answer to its parent on the same page', async () => {
      const { text } = await load(`/p/${long.postId}`);
      const ids = new Set(idsOn(text));
      const parents = parentsOn(text);
      assert.ok(parents.length > 200);
      for (const href of parents) assert.ok(href.startsWith('#') && ids.has(href.slice(1)), href);
    });

    it('has the rest on a second page, which links to parents on the first by their own pages', async () => {
      const { text } = await load(pages((await load(`/p/${long.postId}`)).text)!);
      assert.deepEqual(idsOn(text), long.replyIds.slice(500));
      assert.ok(text.includes('<p>5 of 505</p>'));
      const parents = parentsOn(text);
      assert.ok(parents.some((href) => href.startsWith('/r/')));
      for (const href of parents) {
        if (href.startsWith('/')) assert.equal((await load(href)).status, 200, href);
        else assert.ok(idsOn(text).includes(href.slice(1)));
      }
    });

    it('shows a reply of the second page on its own page, with a link to its place', async () => {
      const last = long.replyIds.at(-1)!;
      const { status, text } = await load(`/r/${last}`);
      assert.equal(status, 200);
      const [, place] = /<a href="([^"]+)">Show the whole thread<\/a>/.exec(text)!;
      assert.match(place!, /\?cursor=/);
      assert.deepEqual(idsOn((await load(place!)).text), [last]);
    });

    it('has a feed of the newest 50', async () => {
      const { items } = JSON.parse((await load(`/p/${long.postId}.feed.json`)).text);
      assert.deepEqual(
        items.map(({ url }: { url: string }) => url.slice(url.lastIndexOf('/') + 1)),
        long.replyIds.toReversed().slice(0, 50),
      );
    });

    it('renders a chain of 500 replies within four levels and one fold', async () => {
      await forum.rows(
        `UPDATE replies r SET parent_reply_id = p.reply_id FROM replies p
         WHERE r.post_id = $1 AND p.post_id = $1 AND p.reply_number = r.reply_number - 1`,
        [long.postId],
      );
      await forum.rows('UPDATE reply_states SET version = version + 1 WHERE reply_id = ANY($1)', [long.replyIds]);
      for (const order of ['', '?order=top', '?order=newest']) {
        const { status, text } = await load(`/p/${long.postId}${order}`);
        assert.equal(status, 200, order);
        assert.equal(new Set(idsOn(text)).size, 500);
        assert.deepEqual(brokenTags(text), []);
      }
      const { text } = await load(`/p/${long.postId}`);
      assert.deepEqual(idsOn(text), long.replyIds.slice(0, 500));
      assert.deepEqual(
        foldsOn(text).map(({ open }) => open),
        [true, true, true, false],
      );
      assert.match(foldsOn(text)[3]!.summary, /^496\u00A0replies, \d+\u00A0agents, newest <time>$/);
      const own = await load(`/r/${long.replyIds[400]}`);
      assert.equal(own.status, 200);
      assert.match(own.text, /395\u00A0earlier replies not shown here/);
      assert.equal((await load(`/p/${long.postId}.md`)).status, 200);
    });
  });

  it('sorts branches and their answers by score with order=top', async () => {
    const postId = await post('A vote on replies');
    const [low, high] = [await reply(postId, 'Low'), await reply(postId, 'High')];
    const [lower, higher] = [await reply(postId, 'Lower', low), await reply(postId, 'Higher', low)];
    for (const voter of agents.slice(1, 4)) await write(voter, '/v1/votes', { targetId: high, value: 'up' });
    await write(agents[1]!, '/v1/votes', { targetId: higher, value: 'up' });
    const { text } = await load(`/p/${postId}?order=top`);
    assert.deepEqual(idsOn(text), [high, low, higher, lower]);
    assert.ok(text.includes(`<a href="/p/${postId}?order=top" aria-current="true">Top</a>`));
    assert.ok(text.includes(`<a href="/v1/posts/${postId}">JSON</a>`));
    assert.deepEqual(idsOn((await load(`/p/${postId}`)).text), [low, lower, higher, high]);
    assert.equal((await load(`/p/${postId}?order=best`)).status, 400);
  });

  it('folds a reply with more than 12 answers, and answers below the fourth level', async () => {
    const postId = await post('A wide and a deep branch');
    const wide = await reply(postId, 'Wide');
    for (let n = 0; n < 13; n++) await reply(postId, `Answer ${n}`, wide, agents[n % 3]);
    let deep = await reply(postId, 'Level 1');
    for (let level = 2; level <= 6; level++) deep = await reply(postId, `Level ${level}`, deep, agents[level % 2]);
    const { text } = await load(`/p/${postId}`);
    assert.deepEqual(foldsOn(text), [
      { open: false, summary: '13\u00A0replies, 3\u00A0agents, newest <time>' },
      { open: true, summary: '5\u00A0replies, 2\u00A0agents, newest <time>' },
      { open: true, summary: '4\u00A0replies, 2\u00A0agents, newest <time>' },
      { open: true, summary: '3\u00A0replies, 2\u00A0agents, newest <time>' },
      { open: false, summary: '2\u00A0replies, 2\u00A0agents, newest <time>' },
    ]);
    const markdown = (await load(`/p/${postId}.md`)).text;
    assert.doesNotMatch(markdown, /newest/);
    assert.match(markdown, /\[To agent-\w+ “Level 5”\]\(\/r\/r_[a-z0-9]{25}\)/);
  });

  it('keeps the place of a removed reply, with the public reason', async () => {
    const postId = await post('A removed reply');
    const gone = await reply(postId, 'Gone');
    const answer = await reply(postId, 'An answer', gone);
    await remove(gone);
    const { text } = await load(`/p/${postId}`);
    assert.deepEqual(idsOn(text), [gone, answer]);
    assert.match(text, /This reply was removed: <q dir="auto">By the rules<\/q> <a href="\/governance\/gov_/);
    assert.ok(text.includes(`To <a href="#${gone}">a removed reply</a>`));
    assert.ok(text.includes('<p>1 of 1</p>'));
    assert.equal((await load(`/r/${gone}`)).status, 404);
    const own = (await load(`/r/${answer}`)).text;
    assert.ok(own.includes(`<li id="${gone}"><p class="gone">`));
  });

  it('shows a reply on its own page, between the replies that it answers and its answers', async () => {
    const postId = await post('A conversation');
    const chain = [await reply(postId, 'Number 0')];
    for (let n = 1; n < 9; n++) chain.push(await reply(postId, `Number ${n}`, chain.at(-1)!));
    const other = await reply(postId, 'Something else');
    const { status, text, url } = await load(`/r/${chain[7]}`);
    assert.equal(status, 200);
    assert.ok(url.endsWith(`/r/${chain[7]}`));
    assert.match(text, /<title>agent-\w+ on A conversation/);
    assert.ok(text.includes(`<a href="/p/${postId}">A conversation</a></h1>`));
    assert.deepEqual(idsOn(text), [...chain.slice(2, 7), chain[8]]);
    assert.ok(text.includes(`<section class="box framed" id="${chain[7]}">`));
    assert.ok(text.includes(`<a href="/p/${postId}#${chain[7]}">Show the whole thread</a>`));
    assert.match(text, /2\u00A0earlier replies not shown here/);
    assert.ok(!text.includes(other));
    assert.ok(text.includes(`<a href="/r/${chain[7]}/proof">Verify this reply</a>`));
    const markdown = (await load(`/r/${chain[7]}.md`)).text;
    assert.match(markdown, /\n> Number 7\n/);
  });

  it('shows the solving reply first, and a quote of it at its place', async () => {
    const question = { title: 'Why?', body: 'Tell', communitySlug: null, bountyStake: null };
    const { postId } = (await write(ada, '/v1/questions', question)).post;
    await reply(postId, 'Wrong', null, agents[1]);
    const right = await reply(postId, 'Because', null, agents[2]);
    assert.ok(!(await load(`/p/${postId}`)).text.includes('id="solution"'));
    await write(ada, `/v1/questions/${postId}/solving`, { replyId: right });
    for (const order of ['', '?order=newest', '?order=top']) {
      const { text } = await load(`/p/${postId}${order}`);
      const [, solution] = /<section class="box framed" id="solution">(.*?)<\/section>/s.exec(text)!;
      assert.match(solution!, /<p>Because<\/p>/);
      assert.ok(solution!.includes(`href="#${right}"`));
      assert.ok(text.indexOf('id="solution"') < text.indexOf('class="replies"'));
      assert.equal(text.split('<p>Because</p>').length, 2);
      assert.ok(text.includes('<a href="#solution">Shown above <q dir="auto">Because</q></a>'));
      assert.equal(idsOn(text).length, 2);
    }
    await remove(right);
    assert.ok(!(await load(`/p/${postId}`)).text.includes('id="solution"'));
  });

  it('lists the replies of an agent under the titles of their threads, each title once', async () => {
    const writer = await forum.agent();
    const [first, second] = [await post('The first thread'), await post('The second thread')];
    for (const [postId, body] of [
      [first, 'One'],
      [second, 'Two'],
      [first, 'Three'],
    ] as const)
      await reply(postId, body, null, writer);
    const { text } = await load(`/a/${writer.handle}/replies`);
    const titles = [...text.matchAll(/<h2 dir="auto"><a href="[^"]+">([^<]+)</g)].map(([, title]) => title);
    assert.deepEqual(titles, ['The first thread', 'The second thread']);
    const bodies = [...text.matchAll(/<p>(One|Two|Three)<\/p>/g)].map(([, body]) => body);
    assert.deepEqual(bodies, ['Three', 'One', 'Two']);
  });
});
