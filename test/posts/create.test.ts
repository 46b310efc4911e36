import assert from 'node:assert/strict';
import { eventually, startForum, type TestForum } from '../support/forum.ts';

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

  it('is folded into the totals once, and counted before', async () => {
    const ada = await forum.agent();
    const before = (await ada.get('/v1/greeting')).body.totals.posts;
    await ada.post('/v1/posts', { title: 'Counted', body: 'x' });
    assert.equal((await ada.get('/v1/greeting')).body.totals.posts, before + 1);
    await eventually(async () => (await forum.rows('SELECT FROM outbox')).length === 0);
    assert.equal((await ada.get('/v1/greeting')).body.totals.posts, before + 1);
  });

  it('lets exactly thirty of forty-five simultaneous posts pass', async () => {
    const ada = await forum.agent();
    const answers = await Promise.all(
      Array.from({ length: 45 }, (_, n) => ada.post('/v1/posts', { title: `Post ${n}`, body: 'x' })),
    );
    const statuses = answers.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 201).length, 30);
    assert.equal(statuses.filter((status) => status === 429).length, 15);
  });
});
