import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { OPERATIONS } from '../../src/operations.ts';
import type { Answer, TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { assertInvalid } from './support/assertions.ts';

const ITEMS = 7;

/** A list that is read either way. */
interface List {
  readonly path: () => string;
  /** Adds an item at its end. */
  readonly add: () => Promise<unknown>;
  readonly idsIn: (body: Answer['body']) => string[];
  readonly cursorIn: (body: Answer['body']) => string | undefined;
}

describe('a list that begins with the oldest or the newest', function () {
  this.timeout(30_000);
  let forum: TestForum;
  let ada: TestAgent;
  let postId: string;

  const itemsBy = (id: string) => ({
    idsIn: ({ items }: Answer['body']) => items.map((item: Record<string, string>) => item[id]),
    cursorIn: ({ nextCursor }: Answer['body']) => nextCursor,
  });
  /** By operation: one that gets an order must be added here. */
  const LISTS: Readonly<Record<string, List>> = {
    'agent.list': { path: () => '/v1/agents', add: () => forum.agent(), ...itemsBy('agentId') },
    'community.list': {
      path: () => '/v1/communities',
      add: () => {
        const slug = `c-${randomBytes(6).toString('hex')}`;
        return ada.post('/v1/communities', { slug, displayName: 'C', description: '', visibility: 'public' });
      },
      ...itemsBy('slug'),
    },
    'question.unanswered': {
      path: () => '/v1/questions/unanswered',
      add: () => ada.post('/v1/questions', { title: 'Q', body: 'b', communitySlug: null }),
      ...itemsBy('postId'),
    },
    'thread.read': {
      path: () => `/v1/posts/${postId}`,
      add: () => ada.post(`/v1/posts/${postId}/replies`, { body: 'b' }),
      idsIn: ({ replies }) => replies.map(({ replyId }: { replyId: string }) => replyId),
      cursorIn: ({ nextReplyCursor }) => nextReplyCursor,
    },
  };

  before(async () => {
    const limits = ['POSTS', 'REPLIES', 'COMMUNITY_WRITES'].map((name) => [`LIMIT_${name}`, '1000']);
    forum = await startForum({ env: Object.fromEntries(limits) });
    ada = await forum.agent();
    postId = (await ada.post('/v1/posts', { title: 'A thread', body: 'b' })).body.post.postId;
    for (let n = 0; n < ITEMS; n++) for (const { add } of Object.values(LISTS)) await add();
  });
  after(() => forum.stop());

  const get = (list: List, query: string, headers: Record<string, string> = {}) =>
    ada.anonymous('GET', list.path(), { query, headers });

  /** Every id of a list; `between` runs before each further page. */
  async function walk(list: List, query: string, between: () => Promise<unknown> = async () => {}): Promise<string[]> {
    const seen: string[] = [];
    for (let cursor = ''; ; await between()) {
      const { status, body } = await get(list, `${query}${cursor}`);
      assert.equal(status, 200, JSON.stringify(body));
      seen.push(...list.idsIn(body));
      const next = list.cursorIn(body);
      if (next === undefined) return seen;
      cursor = `&cursor=${next}`;
    }
  }

  it('is every operation that takes an order', () => {
    const ordered = OPERATIONS.filter(({ input }) => Object.hasOwn(input.describe().keys ?? {}, 'order'));
    // It has no `oldest`: see test/features/posts/orders.test.ts.
    // The orders of challenges are in test/features/challenges/list.test.ts.
    const others = ['challenge.list', 'post.list'];
    assert.deepEqual(ordered.map(({ name }) => name).toSorted(), [...Object.keys(LISTS), ...others].toSorted());
  });

  for (const [name, list] of Object.entries(LISTS)) {
    describe(name, () => {
      it('is the same list both ways, whatever the size of a page', async () => {
        const oldest = await walk(list, 'limit=20');
        assert.ok(oldest.length >= ITEMS);
        for (const limit of [1, 3, oldest.length, 20])
          assert.deepEqual(await walk(list, `order=newest&limit=${limit}`), oldest.toReversed(), `limit ${limit}`);
      });

      it('begins with the oldest unless it is asked otherwise, and tells the two apart by validators', async () => {
        // Often enough that the cache responds.
        for (let n = 0; n < 3; n++) {
          const [unasked, oldest, newest] = [
            await get(list, 'limit=3'),
            await get(list, 'limit=3&order=oldest'),
            await get(list, 'limit=3&order=newest'),
          ];
          assert.deepEqual(oldest.body, unasked.body);
          assert.equal(oldest.headers.get('etag'), unasked.headers.get('etag'));
          assert.notDeepEqual(list.idsIn(newest.body), list.idsIn(oldest.body));
          assert.notEqual(newest.headers.get('etag'), oldest.headers.get('etag'));
          const tag = { 'if-none-match': oldest.headers.get('etag')! };
          assert.equal((await get(list, 'limit=3&order=oldest', tag)).status, 304);
          assert.equal((await get(list, 'limit=3&order=newest', tag)).status, 200);
        }
      });

      it('refuses a cursor of the other order, and an order that there is not', async () => {
        const [ofOldest, ofNewest] = [
          list.cursorIn((await get(list, 'limit=2')).body),
          list.cursorIn((await get(list, 'limit=2&order=newest')).body),
        ];
        assert.equal((await get(list, `cursor=${ofOldest}&order=oldest`)).status, 200);
        assert.equal((await get(list, `cursor=${ofNewest}&order=newest`)).status, 200);
        assertInvalid(await get(list, `cursor=${ofOldest}&order=newest`), 'cursor');
        assertInvalid(await get(list, `cursor=${ofNewest}&order=oldest`), 'cursor');
        assertInvalid(await get(list, `cursor=${ofNewest}`), 'cursor');
        for (const query of ['order=best', 'order=', 'order=newest&order=newest', 'order=Newest'])
          assertInvalid(await get(list, query), 'order', query);
      });

      it('shows newest first what was there, once and nothing else, while others write', async () => {
        const before = await walk(list, 'limit=20');
        assert.deepEqual(await walk(list, 'order=newest&limit=2', list.add), before.toReversed());
        const after = await walk(list, 'limit=20');
        assert.ok(after.length > before.length);
        assert.deepEqual(await walk(list, 'order=newest&limit=20'), after.toReversed());
      });
    });
  }

  it('is asked for by tools under the same name', async () => {
    const ask = async (method: string, params: object) =>
      (await ada.anonymous('POST', '/mcp', { body: { jsonrpc: '2.0', id: 1, method, params } })).body.result;
    const call = async (name: string, args: object) =>
      (await ask('tools/call', { name, arguments: args })).structuredContent;
    const { tools } = await ask('tools/list', {});
    const ordered = tools.flatMap(({ inputSchema }: { inputSchema: { properties: { order?: { enum: unknown } } } }) =>
      inputSchema.properties.order ? [inputSchema.properties.order.enum] : [],
    );
    const either = JSON.stringify(['oldest', 'newest']);
    assert.equal(ordered.filter((order: unknown) => JSON.stringify(order) === either).length, 3);
    assert.deepEqual(
      ordered.filter((order: unknown) => JSON.stringify(order) !== either),
      [
        ['oldest', 'newest', 'karma', 'active'],
        ['newest', 'active', 'top', 'bounty', 'solved'],
        ['newest', 'closing'],
      ],
    );
    const thread = await call('get_post', { postId, order: 'newest', limit: 2 });
    assert.deepEqual(thread.replies, (await get(LISTS['thread.read']!, 'order=newest&limit=2')).body.replies);
    const [newest] = (await call('list_agents', { order: 'newest', limit: 1 })).items;
    assert.equal(newest.agentId, (await walk(LISTS['agent.list']!, 'limit=20')).at(-1));
  });
});
