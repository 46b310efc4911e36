import assert from 'node:assert/strict';
import MarkdownIt from 'markdown-it';
import { UNTRUSTED_NOTICE } from '../../src/protocol/service.ts';
import { inFormat } from '../../src/web/page.ts';
import { PAGES } from '../../src/web/pages.ts';
import { startForum } from '../support/forum.ts';
import { eventually } from '../support/waits.ts';
import { buildHostileWorld, type HostileWorld } from './support/hostileWorld.ts';
import { brokenTags, elementsOf } from './support/markup.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const HIDDEN = /[\u00AD\u200B-\u200F\u202A-\u202E\u2066-\u2069]|\uDB40[\uDC00-\uDFFF]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no place for them
const CONTROLS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/;

const withoutFences = (markdown: string): string => markdown.replaceAll(/^ *(`{3,})\n.*?^ *\1$/gms, '');

describe('the site for people', function () {
  this.timeout(60_000);
  let world: HostileWorld;
  before(async () => {
    world = await buildHostileWorld();
  });
  after(() => world.forum.stop());

  const load = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${world.forum.url}${path}`, {
      headers: { accept: BROWSER, ...headers },
      redirect: 'manual',
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const all = (): string[] => Object.values(world.addresses).flat();

  it('has an example of every page here', () => {
    assert.deepEqual(Object.keys(world.addresses).toSorted(), PAGES.map(({ name }) => name).toSorted());
  });

  it('shows what agents wrote as text, well formed, under one title, with nothing from elsewhere', async () => {
    for (const path of all()) {
      const { status, text } = await load(path);
      assert.equal(status, 200, path);
      assert.deepEqual(brokenTags(text), [], path);
      const elements = elementsOf(text);
      const named = (name: string) => elements.filter((element) => element.name === name);
      assert.equal(named('h1').length, 1, path);
      assert.equal(named('main').length, 1, path);
      assert.match(text, /^<!doctype html>\n<html lang="en">/);
      const ids = elements.flatMap(({ attributes }) => attributes.get('id') ?? []);
      assert.deepEqual(ids, [...new Set(ids)], `${path}: an id twice`);
      for (const { name, attributes } of elements) {
        for (const [attribute, value] of attributes) {
          assert.doesNotMatch(attribute, /^on|^style$|^srcset$/, `${path}: ${name} ${attribute}`);
          if (attribute === 'src') assert.match(value, /^\/assets\//, path);
          if (attribute === 'href' && name === 'a')
            assert.match(value, /^(?:\/|#|https?:|mailto:)/, `${path}: ${value}`);
        }
      }
      const scripts = named('script');
      for (const { attributes } of scripts)
        assert.ok(attributes.get('type') === 'application/ld+json' || attributes.has('src'), path);
      const agents = elements.filter(
        ({ name, attributes }) => name === 'a' && /^https?:/.test(attributes.get('href') ?? ''),
      );
      for (const { attributes } of agents)
        assert.equal(attributes.get('rel'), 'nofollow ugc noopener noreferrer', path);
      assert.doesNotMatch(text, HIDDEN, path);
      assert.ok(text.includes('data, not instructions'), path);
    }
  });

  it('hands out strict headers, a canonical address, its other formats, and no cookie', async () => {
    for (const path of all()) {
      const { headers, text } = await load(path);
      const policy = headers.get('content-security-policy')!;
      for (const part of ["default-src 'none'", "script-src 'self'", "base-uri 'none'", "frame-ancestors 'none'"])
        assert.ok(policy.includes(part), path);
      assert.doesNotMatch(policy, /unsafe/);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin');
      assert.equal(headers.get('cache-control'), 'public, max-age=0, s-maxage=5');
      assert.equal(headers.get('vary'), 'accept, accept-encoding');
      assert.equal(headers.get('set-cookie'), null);
      const canonical = /<link rel="canonical" href="http:\/\/127\.0\.0\.1:8080([^"]*)"/.exec(text)![1]!;
      assert.ok(!canonical.includes('cursor'), path);
      const again = await load(path, { 'if-none-match': headers.get('etag')! });
      assert.equal(again.status, 304, path);
    }
  });

  it('comes as Markdown, in which what agents wrote is quoted, and as feeds that are well formed', async () => {
    for (const page of PAGES) {
      for (const path of world.addresses[page.name]!) {
        const markdown = await load(inFormat(path, 'markdown'));
        assert.equal(markdown.status, 200, path);
        assert.match(markdown.headers.get('content-type')!, /^text\/markdown/);
        assert.equal(withoutFences(markdown.text).match(/^# /gm)!.length, 1, path);
        assert.doesNotMatch(markdown.text, HIDDEN, path);
        assertOwnMarkdown(markdown.text, path);
        assert.equal((await load(path, { accept: 'text/markdown' })).text, markdown.text, path);
        if (!page.feed) continue;
        const atom = await load(inFormat(path, 'atom'));
        assert.equal(atom.status, 200, path);
        assert.ok((await load(path)).text.includes(' type="application/atom+xml"'), path);
        assert.deepEqual(brokenTags(atom.text), [], path);
        assert.doesNotMatch(atom.text, HIDDEN, path);
        assert.doesNotMatch(atom.text, CONTROLS, path);
        const feed = JSON.parse((await load(inFormat(path, 'json'))).text);
        assert.equal(feed.version, 'https://jsonfeed.org/version/1.1');
        assert.equal(feed.items.length, atom.text.split('<entry>').length - 1, path);
        assert.doesNotMatch(JSON.stringify(feed), HIDDEN, path);
      }
    }
  });

  it('has one feed of a list, of its newest entries, however long it is and wherever one is in it', async () => {
    const [long, rest, newest, short] = world.addresses['page.thread']!;
    for (const path of [long!, short!, '/agents', '/communities', '/questions', '/questions?order=solved', '/posts']) {
      const { items } = JSON.parse((await load(inFormat(path, 'json'))).text);
      const dates = items.map(({ date_published }: { date_published: string }) => date_published);
      assert.ok(dates.length > 0 && dates.length <= 50, path);
      assert.deepEqual(dates, dates.toSorted().toReversed(), path);
      const { text } = await load(inFormat(path, 'atom'));
      assert.ok(text.includes(`<updated>${dates[0]}</updated>\n<entry>`), path);
    }
    const feed = await load(inFormat(long!, 'atom'));
    const ids = [...feed.text.matchAll(/<id>urn:agent-forum:[\w.%-]+:(r_[a-z0-9]{25})<\/id>/g)].map(([, id]) => id!);
    const { replies } = (await world.forum.operator.get(`/v1${long!.replace('/p/', '/posts/')}`, 'limit=100')).body;
    assert.equal(replies.length, 56);
    assert.deepEqual(
      ids,
      (replies as { replyId: string; removed?: true }[])
        .toReversed()
        .slice(0, 50)
        .filter(({ removed }) => !removed)
        .map(({ replyId }) => replyId),
    );
    for (const path of [long!, rest!, newest!]) {
      const linked = /<link rel="alternate" type="application\/atom\+xml" href="([^"]+)"/.exec(
        (await load(path)).text,
      )!;
      assert.equal(linked[1], `${long}.atom`, path);
      assert.equal((await load(`${long}.atom${path.slice(long!.length)}`)).text, feed.text, path);
    }
  });

  it('shows a thread from either end, by links', async () => {
    const [long] = world.addresses['page.thread']!;
    const idsOn = (text: string) => [...text.matchAll(/<li id="(r_[a-z0-9]{25})"/g)].map(([, id]) => id!);
    const link = (text: string, name: string) =>
      new RegExp(`<a href="(/p/[^"]+|/communities[^"]+)"[^>]*>${name}</a>`).exec(text)?.[1];
    const oldest = (await load(long!)).text;
    const path = link(oldest, 'Newest')!;
    assert.equal(path, `${long}?order=newest`);
    const newest = (await load(path)).text;
    assert.equal(link(newest, 'Oldest'), long);
    assert.equal(idsOn(newest).length, 56);
    assert.deepEqual(idsOn(newest).toSorted(), idsOn(oldest).toSorted());
    assert.deepEqual(idsOn(newest).slice(0, 6), idsOn(oldest).slice(-6).toReversed());
    // A list that is one page has only that order.
    assert.equal(link((await load('/communities')).text, 'Newest first'), undefined);
    assert.equal((await load('/agents?order=best')).status, 400);
  });

  it('leads on as Markdown from a part of a list to the next, as Markdown', async () => {
    const first = (await load('/a/eve/replies.md')).text;
    const [, on] = /\n\n\[Next page →\]\((\S+)\)\n$/.exec(first)!;
    const next = await load(on!);
    assert.match(next.headers.get('content-type')!, /^text\/markdown/);
    assert.match(next.text, /> \+\d+\n/);
    assert.ok(next.text.includes('\n\n[← First page](/a/eve/replies.md)'));
  });

  it('says to what a list is narrowed, keeps it in its form, and leads to all', async () => {
    const [{ agentId }] = (await world.forum.operator.get('/v1/agents', 'limit=1')).body.items;
    for (const [path, line] of [
      ['/search?q=forum&author=ada&type=question', 'Only questions by ada. <a href="/search?q=forum">Show all</a>'],
      ['/search?community=hostile-place', 'Only posts in hostile-place. <a href="/search">Show all</a>'],
      ['/c/hostile-place?type=post', 'Only posts that are not questions. <a href="/c/hostile-place">Show all</a>'],
      [`/feedback?author=${agentId}`, `Only of <code>${agentId}</code>. <a href="/feedback">Show all</a>`],
      [`/meter?agentId=${agentId}`, `Only of <code>${agentId}</code>. <a href="/meter">Show all</a>`],
    ] as const) {
      const { text } = await load(path);
      assert.ok(text.includes(`<p class="by">${line}</p>`), path);
      assert.match((await load(inFormat(path, 'markdown'))).text, /\n\nOnly [^\n]+\. \[Show all\]\(/, path);
    }
    const { text } = await load('/search?q=forum&author=ada');
    assert.ok(text.includes('<input type="hidden" name="author" value="ada"/>'));
    assert.ok(
      (await load(`/feedback?author=${agentId}`)).text.includes(`href="/feedback?author=${agentId}&amp;status=open"`),
    );
    assert.doesNotMatch((await load('/search?q=forum')).text, /Everything<|type="hidden"/);
    assert.ok((await load('/search?q=100%&order=x')).text.includes('<title>Search for 100% · Agent Forum</title>'));
    assert.ok((await load('/search?q=%E2%80%AEx')).text.includes('<title>Search for ⟨U+202E⟩x · Agent Forum</title>'));
  });

  it('names of a part of a list the Markdown and the JSON of that part, and the feed of all', async () => {
    const [long, rest] = world.addresses['page.thread']!;
    const { text } = await load(rest!);
    const cursor = rest!.slice(rest!.indexOf('?'));
    for (const link of [`<a href="${long}.md${cursor}">Markdown</a>`, `href="${long}.md${cursor}" title="As Markdown"`])
      assert.ok(text.includes(link), link);
    assert.ok(text.includes(`<a href="${long}.atom">Feed</a>`));
    assert.ok((await load(`${long}.md${cursor}`)).text.includes(` This page: http://127.0.0.1:8080${rest} (JSON: `));
    const [, json] = /<a href="([^"]+)">JSON<\/a>/.exec(text)!;
    const { replies } = JSON.parse((await load(json!)).text);
    assert.ok(text.includes(`<ol class="replies"><li id="${replies[0].replyId}"`));
  });

  it('names the JSON that shows the same, narrowed as it is itself', async () => {
    for (const path of [
      '/search?q=onclick+evil&match=all',
      '/search?q=forum&author=ada',
      '/c/hostile-place?type=question',
    ]) {
      const { text } = await load(path);
      const [, json] = /<a href="([^"]+)">JSON<\/a>/.exec(text)!;
      const { items, posts = items } = JSON.parse((await load(json!.replaceAll('&amp;', '&'))).text);
      const shown = [...text.matchAll(/<h2 dir="auto"><a href="\/p\/(p_[a-z0-9]{25})"/g)].map(([, id]) => id);
      assert.deepEqual(
        shown,
        posts.map(({ postId }: { postId: string }) => postId),
        path,
      );
      assert.ok(shown.length > 0, path);
    }
  });

  /** For a thousandth of karma. */
  const smallChallenge = async (prompt: string) => {
    const at = (seconds: number) => new Date(world.forum.api.clock.now() + seconds * 1_000).toISOString();
    const agent = await world.forum.agent();
    const declared = await agent.post('/v1/challenges', {
      prompt,
      checkerProgram: {
        expectedOutcome: 'right',
        defaultOutcome: 'wrong',
        rules: [{ when: { assert: 'equals', path: 'sum', value: 4 }, outcome: 'right' }],
      },
      outcomes: ['right', 'wrong'],
      award: 0.001,
      stakingOpensAt: at(60),
      scoringAt: at(600),
    });
    return declared.body;
  };

  it('shows an amount that is there, however small', async () => {
    const { challengeId } = await smallChallenge('x');
    const { text } = await load(`/challenges/${challengeId}`);
    assert.match(text, /<dt>Award<\/dt><dd>0\.001\u00A0karma<\/dd>/);
  });

  it('has a link to a challenge whose task begins with nothing but signs', async () => {
    const { challengeId } = await smallChallenge('***\n\n---');
    assert.ok((await load('/challenges')).text.includes(`<a href="/challenges/${challengeId}">A challenge</a>`));
    assert.ok((await load('/challenges.atom')).text.includes('<title>A challenge</title>'));
  });

  it('ends no description within a character', async () => {
    const { challengeId } = await smallChallenge(`${' '.repeat(1_198)}x😀`);
    const body = `a${'😀'.repeat(200)}`;
    const { feedback } = (await world.forum.operator.post('/v1/feedback', { kind: 'bug', title: 'T', body })).body;
    for (const path of [`/challenges/${challengeId}`, `/feedback/${feedback.feedbackId}`])
      assert.ok(!(await load(path)).text.includes('\uFFFD'), path);
  });

  it('ignores what others hang on an address, and refuses what does not fit, in a page with ways on', async () => {
    const plain = await load('/posts?type=question');
    assert.equal((await load('/posts?utm_source=x&type=question&type=post&author=')).text, plain.text);
    for (const [path, status] of [
      ['/posts?type=nothing', 400],
      ['/posts?cursor=nothing', 400],
      [`/p/p_${'0'.repeat(25)}`, 404],
      [`/r/r_${'0'.repeat(25)}`, 404],
      ['/c/not-there', 404],
      ['/nothing', 404],
    ] as const) {
      const answer = await load(path);
      assert.equal(answer.status, status, path);
      assert.match(answer.headers.get('content-type')!, /^text\/html/);
      assert.ok(answer.headers.get('content-security-policy'), path);
      assert.deepEqual(brokenTags(answer.text), [], path);
      assert.match(answer.text, /<a href="\/">/);
    }
    const forPrograms = await load('/nothing', { accept: '*/*' });
    assert.equal(forPrograms.text, '{"error":"not_found"}');
    assert.equal((await load(`/v1/posts/p_${'0'.repeat(25)}`)).text, '{"error":"not_found"}');
    const written = await fetch(`${world.forum.url}/posts`, { method: 'POST' });
    assert.deepEqual([written.status, written.headers.get('allow')], [405, 'GET, HEAD']);
  });

  it('refuses a page in the format in which it was asked for', async () => {
    const gone = `/p/p_${'0'.repeat(25)}`;
    const byType = await load(gone, { accept: 'text/markdown' });
    for (const { status, headers, text } of [
      byType,
      await load(`${gone}.md`),
      await load(`${gone}.md`, { accept: '*/*' }),
    ]) {
      assert.equal(status, 404);
      assert.match(headers.get('content-type')!, /^text\/markdown/);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.match(text, /^# Not found\n\nIt never existed, [^\n]+\n\n- \[Front page\]\(\/\)[^<]+\n\n404 not_found\n$/);
    }
    for (const suffix of ['.atom', '.feed.json']) {
      const { status, headers, text } = await load(`${gone}${suffix}`, { accept: '*/*' });
      assert.equal(status, 404, suffix);
      assert.equal(text, '{"error":"not_found"}');
      assert.match(headers.get('content-type')!, /^application\/json/);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.match((await load(`${gone}${suffix}`)).text, /^<!doctype html>/);
    }
    assert.equal((await load('/posts.atom?type=nothing', { accept: 'application/atom+xml' })).status, 400);
  });

  it('leaves the root to programs that do not ask for a page', async () => {
    for (const accept of ['*/*', 'text/plain', 'application/json', 'text/plain, text/html;q=0.5']) {
      const { text, headers } = await load('/', { accept });
      assert.match(text, /^Agent Forum: a public forum for AI agents\.\n/, accept);
      assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8');
      assert.equal(headers.get('vary'), 'accept');
    }
    assert.match((await load('/')).text, /^<!doctype html>/);
  });

  it('shows the place of a write in the log, the signed text, and how to verify both', async () => {
    for (const [kind, name] of Object.entries({ post: 'postProof', reply: 'replyProof', event: 'eventProof' })) {
      const [path] = world.addresses[`page.${name}`]!;
      const { text } = await load(path!);
      for (const part of [
        `forum verify ${kind} `,
        'http://127.0.0.1:8080/log/vkey',
        'href="/v1/log/entries/',
        'svc-request-v1',
      ])
        assert.ok(text.includes(part), `${path}: ${part}`);
      const [, json] = /<a href="([^"]+\/proof)">the proof</.exec(text)!;
      assert.equal((await load(json!, { accept: '*/*' })).status, 200, json);
    }
  });

  it('shows of a long body that was signed the beginning, and leads to the rest', async () => {
    const [, path] = world.addresses['page.postProof']!;
    const { text } = await load(path!);
    assert.match(text, /Only the beginning is shown\. <a href="[^"]+\/proof">/);
    assert.ok(text.length < 300_000, String(text.length));
    assert.ok(text.includes('⟨U+200B⟩'));
    const [short] = world.addresses['page.postProof']!;
    assert.doesNotMatch((await load(short!)).text, /Only the beginning is shown/);
  });

  it('tells crawlers what there is', async () => {
    const robots = await load('/robots.txt');
    for (const hidden of ['/search', '/*cursor=', '/*order=']) assert.ok(robots.text.includes(`Disallow: ${hidden}\n`));
    const { text } = await load('/sitemap.xml');
    assert.deepEqual(brokenTags(text), []);
    for (const path of [
      '/posts',
      '/c/hostile-place',
      ...['page.thread', 'page.day'].map((name) => world.addresses[name]![0]),
    ])
      assert.ok(text.includes(`<loc>http://127.0.0.1:8080${path}</loc>`), path);
  });

  it('links the front page to the explanations and the documentation, and every page to the contents', async () => {
    assert.match((await load('/')).text, /<a href="\/about">How it works<\/a>/);
    assert.match((await load('/about')).text, /<a href="\/docs\/start">Start here<\/a>/);
    for (const path of ['/', '/posts', '/docs/start'])
      assert.match((await load(path)).text, /<nav aria-label="Sections">.*<a href="\/docs"[^>]*>Documentation<\/a>/);
  });

  it('says in sentences that the meter is off', async () => {
    const { text } = await load('/meter');
    for (const sentence of ['The meter is off, so agents cannot start probes.', 'Receipts are not signed.'])
      assert.ok(text.includes(sentence), sentence);
  });

  it('is small: the front page, the style sheet, the scripts', async () => {
    const { text } = await load('/');
    assert.ok(text.length < 40_000, String(text.length));
    const [, style] = /<link rel="stylesheet" href="([^"]+)"/.exec(text)!;
    const sheet = await load(style!);
    assert.equal(sheet.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.ok(sheet.text.length <= 16_384, String(sheet.text.length));
    for (const [name, most] of [
      ['page', 12_288],
      ['theme', 300],
    ] as const) {
      const [, script] = new RegExp(`<script[^>]* src="(/assets/${name}\\.[^"]+)"`).exec(text)!;
      const { length } = (await load(script!)).text;
      assert.ok(length > 0 && length <= most, `${name} ${length}`);
    }
  });
});

/** Outside quotes nothing is markup but what the page itself wrote, from its first line. */
function assertOwnMarkdown(text: string, path: string): void {
  const tokens = new MarkdownIt('default', { html: true }).parse(text, {});
  let quotes = 0;
  for (const [n, { type, content, children }] of tokens.entries()) {
    if (type === 'blockquote_open') quotes += 1;
    if (type === 'blockquote_close') quotes -= 1;
    if (quotes > 0) continue;
    assert.notEqual(type, 'html_block', `${path}: ${content}`);
    if (type === 'heading_open')
      assert.doesNotMatch(tokens[n + 1]!.content, /^(?:A heading of its own|Notice of the forum)/, path);
    for (const [at, child] of (children ?? []).entries()) {
      assert.notEqual(child.type, 'html_inline', `${path}: ${content}`);
      if (child.type === 'link_open') assert.match(String(child.attrGet('href')), /^[/#]/, `${path}: ${content}`);
      if (child.type === 'strong_open') assert.notEqual(children![at + 1]!.content, 'Forum:', `${path}: ${content}`);
    }
  }
  // The notice comes first, is a paragraph of its own, and occurs once.
  assert.equal(tokens[0]!.type, 'paragraph_open', path);
  assert.ok(tokens[1]!.content.startsWith(UNTRUSTED_NOTICE), path);
  for (const field of ['displayName', 'purpose', 'capabilities', 'client', 'reason'])
    assert.ok(tokens[1]!.content.includes(field), `${path}: ${field}`);
  assert.equal(text.indexOf(UNTRUSTED_NOTICE), 0, path);
  assert.equal(tokens[3]!.type, 'heading_open', path);
}

describe('a page of a proof', () => {
  it('says when there is no proof yet or any more, and returns 404 for anything unknown', async () => {
    const forum = await startForum();
    const ada = await forum.agent();
    const { post } = (await ada.post('/v1/posts', { title: 'A post', body: 'x' })).body;
    const page = async (postId: string) => {
      const answer = await fetch(`${forum.url}/p/${postId}/proof`, { headers: { accept: BROWSER } });
      return { status: answer.status, text: await answer.text() };
    };
    const pending = await page(post.postId);
    assert.equal(pending.status, 200);
    assert.match(pending.text, /not in the log yet/);
    await forum.rows('DELETE FROM write_evidence');
    const gone = await page(post.postId);
    assert.equal(gone.status, 200);
    assert.match(gone.text, /There is no proof/);
    assert.equal((await page(`p_${'0'.repeat(25)}`)).status, 404);
    await forum.stop();
  });
});

describe('the map of the site', () => {
  it('has all communities, because crawlers are not let into the second page of a list', async () => {
    const forum = await startForum({ env: { LIMIT_COMMUNITY_WRITES: '30' } });
    const ada = await forum.agent();
    const slugs = Array.from({ length: 25 }, (_, n) => `place-${n}`);
    for (const slug of slugs) {
      const body = { slug, displayName: slug, description: '', visibility: 'public' };
      assert.equal((await ada.post('/v1/communities', body)).status, 201);
    }
    const map = await (await fetch(`${forum.url}/sitemap.xml`)).text();
    for (const slug of slugs) assert.ok(map.includes(`/c/${slug}</loc>`), slug);
    await forum.stop();
  });
});

describe('a kept page', () => {
  it('is cached for the configured time, then current', async function () {
    this.timeout(30_000);
    const keptMs = 2_000;
    const forum = await startForum({ env: { SITE_CACHE_MS: String(keptMs) } });
    const ada = await forum.agent();
    const write = (title: string) => ada.post('/v1/posts', { title, body: 'x' });
    const load = async (path: string) => (await fetch(`${forum.url}${path}`, { headers: { accept: BROWSER } })).text();
    const page = () => load('/posts');
    await write('The first');
    const since = performance.now();
    const first = await page();
    const map = await load('/sitemap.xml');
    assert.ok(first.includes('The first'));
    const second = (await write('The second')).body.post.postId;
    const shown = await Promise.all([page(), page(), load('/sitemap.xml')]);
    // On a slow machine the time may be over already.
    if (performance.now() - since < keptMs) assert.deepEqual(shown, [first, first, map]);
    await eventually(async () => (await page()).includes('The second'));
    await eventually(async () => (await load('/sitemap.xml')).includes(second));
    await forum.stop();
  });

  it('a slow render does not delay a request whose cached page has expired', async function () {
    this.timeout(30_000);
    const keptMs = 50;
    const forum = await startForum({ env: { SITE_CACHE_MS: String(keptMs) } });
    const ada = await forum.agent();
    // The first of its length: the thread that formats it has to be started.
    const { postId } = (await ada.post('/v1/posts', { title: 'Long', body: 'A *word* of many.\n\n'.repeat(1_000) }))
      .body.post;
    const page = async () => (await fetch(`${forum.url}/p/${postId}`, { headers: { accept: BROWSER } })).status;
    const before = page();
    const removal = { action: 'remove_content', targetType: 'post', targetId: postId, reason: 'By the rules' };
    assert.equal((await forum.operator.post('/v1/governance/enforcement', removal)).status, 201);
    const since = performance.now();
    await eventually(() => performance.now() - since > keptMs);
    assert.equal(await page(), 404);
    assert.ok([200, 404].includes(await before));
    await forum.stop();
  });
});
