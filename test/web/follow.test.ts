import assert from 'node:assert/strict';
import type { TestAgent } from '../support/agent.ts';
import { exchange } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { brokenTags } from './support/markup.ts';

const MARKUP = `<script>window.hit=1</script>"'&`;
const ORIGIN = 'http://127.0.0.1:8080';

describe('what leads back to the forum', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let postId: string;
  let replyId: string;
  before(async () => {
    forum = await startForum();
    ada = await forum.agent();
    const place = { slug: 'open-place', displayName: MARKUP, description: '**A place**', visibility: 'public' };
    assert.equal((await ada.post('/v1/communities', place)).status, 201);
    const body = `A **bold** claim about needles. ${MARKUP} ${'More words follow. '.repeat(60)}`;
    postId = (await ada.post('/v1/posts', { title: 'On haystacks', body, communitySlug: 'open-place' })).body.post
      .postId;
    const answer = `${'Words before. '.repeat(60)}The Needle is ${MARKUP} *here*. ${'Words after. '.repeat(60)}`;
    replyId = (await ada.post(`/v1/posts/${postId}/replies`, { body: answer })).body.reply.replyId;
  });
  after(() => forum.stop());

  const load = (path: string) => exchange(`${forum.url}${path}`, { headers: { accept: 'text/html' } });

  describe('a search', () => {
    it('shows the hit in posts and replies, and keeps the query', async () => {
      const { text } = await load('/search?q=NEEDLE');
      assert.deepEqual(brokenTags(text), []);
      assert.ok(text.includes('<input id="q" name="q" type="search" value="NEEDLE"'));
      assert.match(
        text,
        new RegExp(`<a href="/p/${postId}">On haystacks</a></h2><p dir="auto">A bold claim about <mark>needle</mark>s`),
      );
      assert.ok(text.includes(`<a href="/r/${replyId}">latest by ${ada.handle}</a>`));
      assert.match(
        text,
        new RegExp(
          `<a href="/r/${replyId}">On haystacks</a></h2><p dir="auto">… [A-Z]?\\w+.*The <mark>Needle</mark> is &lt;script`,
        ),
      );
      assert.doesNotMatch(text, /<script>window/);
    });

    it('marks the hit in a title, and a query with markup', async () => {
      assert.ok((await load('/search?q=haystack')).text.includes('On <mark>haystack</mark>s</a></h2>'));
      const { text } = await load(`/search?q=${encodeURIComponent(MARKUP)}&type=reply`);
      assert.ok(
        text.includes("<mark>&lt;script>window.hit=1&lt;/script>&quot;'&amp;</mark>") || /<mark>&lt;script/.test(text),
      );
      assert.doesNotMatch(text, /<script>window/);
      assert.ok(text.includes('Only replies.'));
      assert.ok(!text.includes(`/p/${postId}">`));
    });

    it('names the JSON of the replies, and has a feed of posts and replies as HTML', async () => {
      const { text } = await load('/search?q=needle&type=reply');
      assert.match(text, /<a href="\/v1\/search\/replies\?q=needle">JSON<\/a>/);
      const feed = await load('/search.feed.json?q=needle');
      const { items } = JSON.parse(feed.text);
      assert.deepEqual(
        items.map(({ url }: { url: string }) => url),
        [`${ORIGIN}/r/${replyId}`, `${ORIGIN}/p/${postId}`],
      );
      assert.match(items[1].content_html, /^<p>A <strong>bold<\/strong> claim/);
      assert.ok(items[1].content_html.length > 1_000);
    });

    it('offers periods, and keeps the query and the period', async () => {
      const { text } = await load('/search?q=needle&since=week');
      assert.match(
        text,
        /<a href="\/search\?q=needle">Any time<\/a><a href="\/search\?q=needle&amp;since=day">Today<\/a>/,
      );
      assert.match(text, /<a href="\/search\?q=needle&amp;since=week" aria-current="true">Week<\/a>/);
      assert.match(text, /name="q" type="search" value="needle".*<input type="hidden" name="since" value="week"/);
      assert.match(
        (await load('/search?q=xylophone&since=day')).text,
        /contains this text in this period\. Try any time\./,
      );
    });

    it('says what to do if nothing is found', async () => {
      assert.match((await load('/search?q=xylophone')).text, /contains this text\. Try a shorter one\./);
      assert.match((await load('/search')).text, /Type a word, a name or a sentence\./);
    });

    it('is described for browsers', async () => {
      const { text, headers } = await load('/opensearch.xml');
      assert.equal(headers.get('content-type'), 'application/opensearchdescription+xml; charset=utf-8');
      assert.deepEqual(brokenTags(text), []);
      assert.ok(text.includes(`template="${ORIGIN}/search?q={searchTerms}"`));
      assert.match((await load('/')).text, /<link rel="search" [^>]*href="\/opensearch\.xml"/);
    });
  });

  describe('feeds', () => {
    it('have the texts of agents as HTML', async () => {
      for (const path of ['/index', '/posts', '/c/open-place', `/a/${ada.handle}`, '/communities', `/p/${postId}`]) {
        const { items } = JSON.parse((await load(`${path}.feed.json`)).text);
        assert.ok(items.length > 0, path);
        for (const item of items) assert.match(item.content_html, /^<p>/, path);
        assert.doesNotMatch((await load(`${path}.atom`)).text, /<content type="text">/, path);
      }
      const [{ content_html }] = JSON.parse((await load('/communities.feed.json')).text).items;
      assert.equal(content_html, '<p><strong>A place</strong></p>\n');
    });

    it('of all posts and replies is the search for nothing', async () => {
      const { items } = JSON.parse((await load('/search.feed.json')).text);
      assert.equal(items.length, 2);
      assert.match((await load('/')).text, /<a href="\/search\.atom">Posts and replies<\/a>/);
    });

    it('are offered beside the heading', async () => {
      for (const [path, feed] of [
        ['/', '/index'],
        ['/posts', '/posts'],
        [`/p/${postId}`, `/p/${postId}`],
      ] as const)
        assert.match(
          (await load(path)).text,
          new RegExp(`<summary>Follow</summary><div><a href="${feed}\\.atom">Atom feed</a>`),
        );
      assert.ok(!(await load('/pulse')).text.includes('Follow'));
    });

    it('of public communities are in one OPML document', async () => {
      const { text, headers } = await load('/communities.opml');
      assert.equal(headers.get('content-type'), 'text/x-opml; charset=utf-8');
      assert.deepEqual(brokenTags(text), []);
      assert.ok(text.includes(`xmlUrl="${ORIGIN}/c/open-place.atom"`));
      assert.doesNotMatch(text, /<script/);
    });
  });

  describe('an address that ends with a slash', () => {
    it('leads to the page without it', async () => {
      for (const [path, to] of [
        ['/posts/', '/posts'],
        ['/posts/?type=question&x=%2F', '/posts?type=question&x=%2F'],
        [`/p/${postId}/`, `/p/${postId}`],
        ['/docs/', '/docs'],
        ['/docs/start/', '/docs/start'],
      ] as const) {
        const { status, headers } = await load(path);
        assert.deepEqual([status, headers.get('location')], [308, to], path);
      }
    });

    it('returns 404 if there is no such page, and never leads to another host', async () => {
      for (const path of [
        '/nothing/',
        '//evil.example/',
        '//evil.example/posts/',
        '//posts/',
        '/%2Fevil.example/',
        '/%5Cevil.example/',
        '/p//evil.example/',
        '/posts//',
        '/v1/posts/',
        '/routes.json/',
      ]) {
        const { status, headers } = await load(path);
        assert.deepEqual([status, headers.get('location')], [404, null], path);
      }
    });
  });

  describe('a preview of a link', () => {
    it('has a picture, the time, and what matters first', async () => {
      const asked = await ada.post('/v1/questions', {
        title: 'Why?',
        body: 'Because',
        bountyStake: 2,
        communitySlug: null,
      });
      assert.equal(asked.status, 201);
      const { post } = asked.body;
      const { text } = await load(`/p/${post.postId}`);
      assert.match(text, /<meta name="description" content="Question, open, bounty 2\u00A0karma\. Because"/);
      assert.ok(text.includes(`<meta property="article:published_time" content="${post.createdAt}"`));
      assert.ok(text.includes(`<meta property="og:image" content="${ORIGIN}/p/${post.postId}.png"`));
      assert.ok((await load('/pulse')).text.includes(`<meta property="og:image" content="${ORIGIN}/index.png"`));
      for (const path of [`/p/${post.postId}.png`, '/index.png', `/a/${ada.handle}.png`, '/apple-touch-icon.png']) {
        const picture = await load(path);
        assert.deepEqual([picture.status, picture.headers.get('content-type')], [200, 'image/png'], path);
        assert.equal(picture.headers.get('content-encoding'), null);
      }
      assert.equal((await load('/favicon.ico')).status, 200);
    });

    it('has no picture of what is not there', async () => {
      for (const path of [`/p/p_${'0'.repeat(25)}.png`, '/posts.png', '/nothing.png'])
        assert.equal((await load(path)).status, 404, path);
    });
  });
});
