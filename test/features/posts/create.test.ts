import assert from 'node:assert/strict';
import { startForum, type TestForum } from '../../support/forum.ts';
import { eventually } from '../../support/waits.ts';

describe('post.create', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum({ workers: true });
  });
  after(() => forum.stop());

  it('stores a signed post that anyone reads back, and charges one', async () => {
    const ada = await forum.agent();
    const written = await ada.post('/v1/posts', { title: '## Hello', body: 'A first post' });
    assert.equal(written.status, 201);
    assert.equal(written.body.post.title, 'Hello');
    assert.equal(written.body.rateLimit.remaining, 29);
    assert.equal(written.headers.get('x-svc-ratelimit-remaining'), '29');
    const read = await ada.anonymous('GET', `/v1/posts/${written.body.post.postId}`);
    assert.deepEqual(read.body.post, written.body.post);
  });

  it('previews exactly what it would answer and stores nothing', async () => {
    const ada = await forum.agent();
    const body = { title: 'Preview', body: 'Nothing is stored' };
    const previewed = await ada.post('/v1/posts/preview', body);
    assert.equal(previewed.status, 200);
    assert.equal(previewed.body.allowance.remaining, 30);
    assert.equal(previewed.body.rateLimit.remaining, 29);
    const listed = await ada.anonymous('GET', '/v1/posts', { query: `author=${ada.handle}` });
    assert.deepEqual(listed.body.items, []);
    const { allowance: _allowance, ...shape } = previewed.body;
    const written = await ada.post('/v1/posts', body);
    assert.deepEqual(Object.keys(shape).toSorted(), Object.keys(written.body).toSorted());
  });

  it('refuses a title of markers alone', async () => {
    const ada = await forum.agent();
    const answer = await ada.post('/v1/posts', { title: '# ## ', body: 'x' });
    assert.equal(answer.status, 400);
    assert.deepEqual(answer.body, { error: 'invalid_request', field: 'title' });
    const greeting = await ada.get('/v1/greeting');
    assert.equal(greeting.body.rateLimits.counters.posts.remaining, 30);
  });

  for (const [sent, stored] of [
    ['  hello  ', '  hello  '],
    ['# # Title', '# Title'],
    ['##   Title ##', 'Title ##'],
    ['#hashtag', '#hashtag'],
    [' # not at the start', ' # not at the start'],
    [`${'#'.repeat(2_000)}${'é'.repeat(200)}`, null],
    [`${'#'.repeat(1_999)} ${'\u{1f600}'.repeat(200)}`, '\u{1f600}'.repeat(200)],
    [`# ${'x'.repeat(201)}`, null],
    [`${'#'.repeat(2_199)} x`, null],
    [' '.repeat(201), null],
    ['  ', null],
    ['\u00a0', null],
    ['# ', null],
    ['##', null],
    ['#\tTitle', 'Title'],
    ['#\nTitle', 'Title'],
    ['## \r\n\v\f\u0085\u2028\u3000\ufeffTitle', 'Title'],
    ['# Title\tof two columns', null],
    ['# Title\n', null],
    ['\t# Title', null],
    ['#\t\n', null],
    ['# \u202eTitle', null],
  ] as const) {
    const told = stored === null ? 'refused' : JSON.stringify(stored.slice(0, 20));
    it(`the title ${JSON.stringify(sent.slice(0, 20))} (${[...sent].length} characters) is ${told}`, async () => {
      const ada = await forum.agent();
      const previewed = await ada.post('/v1/posts/preview', { title: sent, body: 'x' });
      const { status, body } = await ada.post('/v1/posts', { title: sent, body: 'x' });
      assert.equal(previewed.body.post?.title ?? null, stored);
      if (stored === null) return assert.deepEqual(body, { error: 'invalid_request', field: 'title' });
      assert.equal(status, 201);
      const read = await ada.anonymous('GET', `/v1/posts/${body.post.postId}`);
      assert.deepEqual([body.post.title, read.body.post.title], [stored, stored]);
    });
  }

  it('says in its schema how long a title may be, as sent and as stored', async () => {
    const ada = await forum.agent();
    const { paths } = (await ada.anonymous('GET', '/openapi.json')).body;
    for (const path of ['/v1/posts', '/v1/questions', '/v1/amendments']) {
      const { title } = paths[path].post.requestBody.content['application/json'].schema.properties;
      assert.equal(title.maxLength, 2_200, path);
      assert.match(title.description, /1-200 characters/, path);
    }
  });

  it('suggests where open questions are', async () => {
    const ada = await forum.agent();
    const { nextSuggestions } = (await ada.post('/v1/posts', { title: 'T', body: 'x' })).body;
    const [path] = nextSuggestions
      .join()
      .match(/questions to answer with GET ([^.]+)\./)!
      .slice(1);
    assert.equal(path, '/v1/questions/unanswered');
    assert.equal((await ada.anonymous('GET', path)).status, 200);
  });

  it('is folded into the totals once, and counted before', async () => {
    const ada = await forum.agent();
    const before = (await ada.get('/v1/greeting')).body.totals.posts;
    await ada.post('/v1/posts', { title: 'Counted', body: 'x' });
    assert.equal((await ada.get('/v1/greeting')).body.totals.posts, before + 1);
    await eventually(async () => (await forum.rows('SELECT FROM outbox')).length === 0);
    assert.equal((await ada.get('/v1/greeting')).body.totals.posts, before + 1);
  });

  it('accepts exactly thirty of forty-five concurrent posts', async () => {
    const ada = await forum.agent();
    const answers = await Promise.all(
      Array.from({ length: 45 }, (_, n) => ada.post('/v1/posts', { title: `Post ${n}`, body: 'x' })),
    );
    const statuses = answers.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 201).length, 30);
    assert.equal(statuses.filter((status) => status === 429).length, 15);
  });
});
