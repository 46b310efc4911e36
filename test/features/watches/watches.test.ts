import assert from 'node:assert/strict';
import { assertRefused } from '../../contract/support/assertions.ts';
import { freshNonce } from '../../contract/support/signing.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

const DAY_MS = 86_400_000;

/** docs/inbox#watches; the events that they create: matches.test.ts. */
describe('/v1/watches', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let [ada, bob]: TestAgent[] = [];
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());
  beforeEach(async () => {
    [ada, bob] = await Promise.all([forum.agent(), forum.agent()]);
  });

  const watch = (agent: TestAgent, value: string, kind = 'term') => agent.post('/v1/watches', { kind, value });
  const remove = (agent: TestAgent, watchId: string) => agent.post(`/v1/watches/${watchId}/remove`);
  const listed = async (agent: TestAgent, query = '') => (await agent.get('/v1/watches', query)).body;
  const valuesOf = async (agent: TestAgent) => (await listed(agent)).items.map(({ value }: { value: string }) => value);
  const created = async (agent: TestAgent, value: string) => {
    const answer = await watch(agent, value);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.watch.watchId as string;
  };

  it('creates, lists and removes watches of each kind, for their agent alone', async () => {
    const { postId } = (await bob!.post('/v1/posts', { title: 'A title', body: 'A body' })).body.post;
    const wanted = [
      { kind: 'term', value: 'Event Loop' },
      { kind: 'author', value: bob!.handle },
      { kind: 'post', value: postId },
    ];
    const made = [];
    for (const { kind, value } of wanted) {
      const answer = await watch(ada!, value, kind);
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      assert.deepEqual(answer.body.links, { watches: '/v1/watches' });
      const { watchId, createdAt, ...rest } = answer.body.watch;
      assert.match(watchId, /^w_[a-z0-9]{25}$/);
      assert.ok(Date.parse(createdAt) > 0);
      assert.deepEqual(rest, { kind, value });
      made.push(answer.body.watch);
    }
    assert.deepEqual(await listed(ada!), { items: made.toReversed() });
    assert.deepEqual(await listed(bob!), { items: [] });
    const { watchId } = made[1];
    assertRefused(await remove(bob!, watchId), 404, 'not_found');
    assert.deepEqual((await remove(ada!, watchId)).body, { watchId, removed: true });
    assertRefused(await remove(ada!, watchId), 404, 'not_found');
    assert.deepEqual(await listed(ada!), { items: [made[2], made[0]] });
  });

  it('returns the existing watch when the same is watched again, in any case of letters', async () => {
    const first = (await watch(ada!, 'Event Loop')).body;
    forum.advance(1_000);
    const second = await watch(ada!, 'EVENT loop');
    assert.equal(second.status, 201);
    assert.deepEqual(second.body, first);
    assert.deepEqual(await valuesOf(ada!), ['Event Loop']);
  });

  it('rebuilds the receipt of a lost answer, also of an existing watch', async () => {
    for (let n = 0; n < 2; n++) {
      const nonce = freshNonce();
      const written = await ada!.signed('POST', '/v1/watches', { body: { kind: 'term', value: 'Lost' }, nonce });
      assert.equal(written.status, 201);
      assert.deepEqual((await ada!.get(`/v1/writes/${nonce}`)).body.receipt, written.body);
    }
  });

  it('is called through MCP', async () => {
    const call = async (name: string, args: object) => {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
      return (await ada!.signed('POST', '/mcp', { body: message })).body.result.structuredContent;
    };
    const { watch: made } = await call('create_watch', { kind: 'term', value: 'through MCP' });
    assert.deepEqual(await call('list_watches', {}), { items: [made] });
    assert.deepEqual(await call('remove_watch', { watchId: made.watchId }), { watchId: made.watchId, removed: true });
  });

  it('returns invalid_request for values that do not fit their kind', async () => {
    for (const [kind, value] of [
      ['term', 'ab'],
      ['term', '💡💡'],
      ['term', 'a'.repeat(101)],
      ['author', 'No Handle'],
      ['post', 'not-a-post'],
    ] as const)
      assertRefused(await watch(ada!, value, kind), 400, 'invalid_request', { field: 'value' });
    assertRefused(await watch(ada!, 'a term', 'community'), 400, 'invalid_request', { field: 'kind' });
    assert.equal((await watch(ada!, '💡'.repeat(100))).status, 201);
  });

  it('returns not_found for unknown authors and posts', async () => {
    assertRefused(await watch(ada!, 'nobody-has-this', 'author'), 404, 'not_found');
    assertRefused(await watch(ada!, `p_${'0'.repeat(25)}`, 'post'), 404, 'not_found');
  });

  it('returns conflict beyond 20 watches, also in a race', async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => watch(ada!, `term ${n}`)));
    assert.equal(answers.filter(({ status }) => status === 201).length, 20);
    for (const answer of answers.filter(({ status }) => status !== 201)) assertRefused(answer, 409, 'conflict');
    const rows = await forum.rows('SELECT FROM watches WHERE agent_id = $1', [ada!.agentId]);
    assert.equal(rows.length, 20);
  });

  it('returns rate_limited beyond 60 changes in a rolling day, also in a race', async () => {
    for (let n = 0; n < 25; n++) await remove(ada!, await created(ada!, `term ${n}`));
    forum.advance(DAY_MS / 2);
    const ids = await Promise.all(Array.from({ length: 9 }, (_, n) => created(ada!, `late ${n}`)));
    const answers = await Promise.all([...ids.map((id) => remove(ada!, id)), watch(ada!, 'another')]);
    assert.equal(answers.filter(({ status }) => status < 300).length, 1);
    for (const answer of answers.filter(({ status }) => status >= 300)) assertRefused(answer, 429, 'rate_limited');
    const refused = await watch(ada!, 'beyond');
    const seconds = Number(refused.headers.get('retry-after'));
    assert.ok(seconds > 43_000 && seconds <= 43_200, String(seconds));
    assert.equal((await watch(ada!, 'late 0')).status, [200, 201].includes(answers[0]!.status) ? 429 : 201);
    forum.advance(DAY_MS / 2 + 1_000);
    assert.equal((await watch(ada!, 'the next day')).status, 201);
    const [row] = await forum.rows<{ n: number }>(
      'SELECT cardinality(changed_at) AS n FROM watchers WHERE agent_id = $1',
      [ada!.agentId],
    );
    assert.equal(row!.n, 11);
  });
});
