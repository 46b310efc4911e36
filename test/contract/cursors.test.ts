import assert from 'node:assert/strict';
import type { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { assertInvalid } from './support/assertions.ts';

interface Item {
  postId: string;
  registrationOrdinal: number;
}

describe('cursors and pages', () => {
  let forum: TestForum;
  let ada: TestAgent;
  const written: string[] = [];
  before(async () => {
    forum = await startForum({ env: { LIMIT_POSTS: '1000' } });
    ada = await forum.agent();
    for (let n = 0; n < 12; n++) written.unshift(await post(`Post ${n}`));
  });
  after(() => forum.stop());

  async function post(title: string, by = ada): Promise<string> {
    return (await by.post('/v1/posts', { title, body: 'b' })).body.post.postId;
  }

  async function page(path: string, query: string): Promise<{ items: Item[]; nextCursor?: string }> {
    const answer = await ada.anonymous('GET', path, { query });
    assert.equal(answer.status, 200);
    return answer.body;
  }

  const firstCursor = async (query = 'limit=5') => (await page('/v1/posts', query)).nextCursor!;
  const withCursor = (cursor: string, query = '', path = '/v1/posts') =>
    ada.anonymous('GET', path, { query: `${query}&cursor=${encodeURIComponent(cursor)}` });

  /** All items of a list; `between` runs before each further page. */
  async function walk(path: string, query: string, between: () => Promise<unknown> = async () => {}): Promise<Item[]> {
    const items: Item[] = [];
    for (let cursor = ''; ; await between()) {
      const next = await page(path, cursor === '' ? query : `${query}&cursor=${cursor}`);
      items.push(...next.items);
      if (next.nextCursor === undefined) return items;
      cursor = next.nextCursor;
    }
  }

  it('lead through every post once, newest first, whatever the size of the page', async () => {
    for (const limit of [1, 4, 5, 12, 20]) {
      const ids = (await walk('/v1/posts', `limit=${limit}`)).map(({ postId }) => postId);
      assert.deepEqual(ids, written, `limit ${limit}`);
    }
  });

  it('are absent on the last page, also when it is full', async () => {
    assert.equal((await page('/v1/posts', 'limit=12')).nextCursor, undefined);
    assert.notEqual((await page('/v1/posts', 'limit=11')).nextCursor, undefined);
    assert.deepEqual(await page('/v1/posts', 'author=nobody-here'), { items: [] });
  });

  it('continue with another limit', async () => {
    const rest = await withCursor(await firstCursor(), 'limit=20');
    assert.equal(rest.body.items.length, 7);
  });

  it('are refused when changed in any place', async () => {
    const cursor = await firstCursor();
    for (let at = 0; at < cursor.length; at++) {
      const changed = cursor.slice(0, at) + (cursor[at] === 'A' ? 'B' : 'A') + cursor.slice(at + 1);
      assertInvalid(await withCursor(changed), 'cursor', changed);
    }
    for (const changed of [`${cursor}A`, `${cursor}=`, cursor.slice(1), cursor.slice(0, -1), cursor + cursor, ' ']) {
      assertInvalid(await withCursor(changed), 'cursor', changed);
    }
  });

  it('are refused with other filters', async () => {
    const cursor = await firstCursor();
    for (const query of [`author=${ada.handle}`, 'author=nobody-here', 'postType=post', 'type=question']) {
      assertInvalid(await withCursor(cursor, query), 'cursor', query);
    }
    const filtered = await firstCursor(`limit=5&author=${ada.handle}`);
    assertInvalid(await withCursor(filtered), 'cursor');
    assertInvalid(await withCursor(filtered, 'author=operator'), 'cursor');
    assert.equal((await withCursor(filtered, `author=${ada.handle}`)).body.items.length, 7);
  });

  it('are refused on another route', async () => {
    assertInvalid(await withCursor(await firstCursor(), '', '/v1/agents'), 'cursor');
    const { nextCursor } = await page('/v1/agents', 'limit=1');
    assertInvalid(await withCursor(nextCursor!), 'cursor');
  });

  it('take the alias of a filter for the filter', async () => {
    const cursor = await firstCursor('limit=5&postType=post');
    assert.equal((await withCursor(cursor, 'type=post')).body.items.length, 7);
  });

  it('show every row of before exactly once while others write', async () => {
    const bob = await forum.agent();
    const before = (await walk('/v1/posts', 'limit=20')).map(({ postId }) => postId);
    const writeThree = () => Promise.all([1, 2, 3].map((n) => post(`Meanwhile ${n}`, bob)));
    const [, seen] = await Promise.all([writeThree(), walk('/v1/posts', 'limit=2', writeThree)]);
    const ids = seen.map(({ postId }) => postId);
    assert.equal(new Set(ids).size, ids.length, 'nothing twice');
    assert.deepEqual(
      ids.filter((id) => before.includes(id)),
      before,
    );
  });

  it('show the roster in order of registration, complete to its end, while others register', async () => {
    const register = () => Promise.all([forum.agent(), forum.agent()]);
    const before = (await walk('/v1/agents', 'limit=100')).length;
    let rounds = 0;
    const seen = await walk('/v1/agents', 'limit=2', async () => {
      rounds++;
      if (rounds <= 4) await register();
    });
    const ordinals = seen.map(({ registrationOrdinal }) => registrationOrdinal);
    assert.ok(ordinals.length >= before + 2);
    assert.deepEqual(
      ordinals,
      ordinals.map((_, index) => index + 1),
    );
  });

  it('leave out what was removed meanwhile, and nothing else', async () => {
    const all = (await walk('/v1/posts', 'limit=20')).map(({ postId }) => postId);
    const removed = all[3]!;
    const seen = await walk('/v1/posts', 'limit=2', async () => {
      await forum.rows('UPDATE post_states SET removed = true WHERE post_id = $1', [removed]);
    });
    assert.deepEqual(
      seen.map(({ postId }) => postId),
      all.filter((id) => id !== removed),
    );
  });
});
