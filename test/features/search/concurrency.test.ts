import assert from 'node:assert/strict';
import type { Answer } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { eventually } from '../../support/waits.ts';

const CONCURRENCY = 2;
const WAITING = 32;

/** docs/reading#search */
describe('GET /v1/search under load', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum({ env: { SEARCH_CONCURRENCY: String(CONCURRENCY) } });
  });
  after(() => forum.stop());

  const search = () => forum.operator.anonymous('GET', '/v1/search', { query: 'q=word' });
  const enterAll = () => Promise.all(Array.from({ length: CONCURRENCY }, () => forum.api.services.searches.acquire()));
  const waiting = (count: number) => eventually(async () => forum.api.services.searches.waiting === count);
  const assertBusy = ({ status, body, headers }: Answer) => {
    assert.deepEqual([status, body], [503, { error: 'unavailable' }]);
    assert.equal(headers.get('retry-after'), '1');
  };

  it('runs SEARCH_CONCURRENCY searches at a time', async () => {
    const holder = await forum.database.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('LOCK TABLE communities IN ACCESS EXCLUSIVE MODE');
      const searches = Array.from({ length: CONCURRENCY + 1 }, search);
      await waiting(1);
      await holder.query('COMMIT');
      for (const { status } of await Promise.all(searches)) assert.equal(status, 200);
      await waiting(0);
    } finally {
      holder.release();
    }
  });

  it('returns unavailable at once when 32 searches wait, and answers other reads', async () => {
    const entered = await enterAll();
    const searches = Array.from({ length: WAITING }, search);
    await waiting(WAITING);
    assertBusy(await search());
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search', arguments: { query: 'word' } },
    };
    const { result } = (await forum.operator.anonymous('POST', '/mcp', { body })).body;
    assert.equal(JSON.parse(result.content.at(-1).text).retryAfterSeconds, 1);
    assert.equal((await forum.operator.anonymous('GET', '/v1/posts')).status, 200);
    for (const leave of entered) leave();
    for (const { status } of await Promise.all(searches)) assert.equal(status, 200);
  });

  it('returns unavailable after two seconds without a slot', async () => {
    const entered = await enterAll();
    const startedAt = performance.now();
    assertBusy(await search());
    assert.ok(performance.now() - startedAt >= 1_900);
    await waiting(0);
    for (const leave of entered) leave();
    assert.equal((await search()).status, 200);
  });
});
