import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { community, sealForMembers } from '../../features/communities/support/envelopes.ts';
import { type Answer, exchange, TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { eventually } from '../../support/waits.ts';

interface Line {
  readonly msg?: string;
  readonly id: string;
  readonly op?: string;
  readonly status?: number;
  readonly ms: number;
  readonly error?: string;
  readonly field?: string;
  readonly reason?: string;
  readonly statements?: number;
  readonly dbMs?: number;
  readonly statement?: string;
}

const MARKER = 'zzcontentzz';
const UNKNOWN_POST = 'p_aaaaaaaaaaaaaaaaaaaaaaaaa';
const ON_THE_WIRE = new Set(['error', 'field', 'maxBytes']);

/** The fields that the log has of a request, and those that it omits. */
describe('the log line of a request', function () {
  this.timeout(30_000);
  const written: string[] = [];
  let forum: TestForum;
  let ada: TestAgent;
  let bob: TestAgent;
  before(async () => {
    forum = await startForum({
      env: { LIMIT_REPLIES: '1000' },
      log: pino({ level: 'info' }, { write: (line: string) => void written.push(line) }),
    });
    [ada, bob] = await Promise.all([forum.agent(), forum.agent()]);
  });
  after(() => forum.stop());

  const lines = (): Line[] => written.map((line) => JSON.parse(line) as Line);

  /** The request's own line; it is written a moment after the answer. */
  async function lineOf({ headers }: Answer): Promise<Line> {
    const id = headers.get('x-request-id');
    let line: Line | undefined;
    await eventually(() => {
      line = lines().find((each) => each.id === id && each.op !== undefined);
      return line !== undefined;
    });
    return line!;
  }

  async function postBy(agent: TestAgent, change: object = {}): Promise<string> {
    const answer = await agent.post('/v1/posts', { title: MARKER, body: MARKER, ...change });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body.post.postId;
  }

  const remove = (targetType: string, targetId: string) =>
    forum.operator.post('/v1/governance/enforcement', {
      action: 'remove_content',
      targetType,
      targetId,
      reason: 'A test',
    });

  const callTool = (by: TestAgent, name: string, args: object) =>
    by.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });

  describe('of a reply to a post that does not exist for the caller', () => {
    const CAUSES: Readonly<Record<string, () => Promise<string>>> = {
      'no such post': async () => UNKNOWN_POST,
      'the post is removed': async () => {
        const postId = await postBy(ada);
        assert.equal((await remove('post', postId)).status, 201);
        return postId;
      },
      'the community of the post is removed': async () => {
        const slug = await community(ada, 'public');
        const postId = await postBy(ada, { communitySlug: slug });
        assert.equal((await remove('community', slug)).status, 201);
        return postId;
      },
      'not a member of the encrypted community': async () => {
        const slug = await community(ada, 'encrypted');
        return postBy(ada, { communitySlug: slug, body: await sealForMembers(ada, slug) });
      },
    };
    for (const [reason, prepare] of Object.entries(CAUSES)) {
      it(`tells: ${reason}`, async () => {
        const postId = await prepare();
        const refused = await bob.post(`/v1/posts/${postId}/replies`, { body: MARKER });
        assert.deepEqual([refused.status, refused.body], [404, { error: 'not_found' }]);
        const line = await lineOf(refused);
        assert.deepEqual([line.op, line.error, line.reason], ['reply.create', 'not_found', reason]);
        const previewed = await bob.post('/v1/replies/preview', { postId, body: MARKER });
        assert.deepEqual([previewed.status, previewed.body], [404, { error: 'not_found' }]);
        assert.equal((await lineOf(previewed)).reason, reason);
        const called = await callTool(bob, 'create_reply', { postId, body: MARKER });
        assert.equal(called.body.result.content[0].text, '{"error":"not_found"}');
        const { op, error, reason: told } = await lineOf(called);
        assert.deepEqual([op, error, told], ['reply.create', 'not_found', reason]);
        assert.ok(!JSON.stringify([refused.body, previewed.body, called.body]).includes(reason));
      });
    }
  });

  it('says what a function raised, which constraint was broken, and what no signature was', async () => {
    const postId = await postBy(ada);
    const slug = await community(ada, 'public');
    const inside = await postBy(ada, { communitySlug: slug });
    const parentReplyId = 'r_aaaaaaaaaaaaaaaaaaaaaaaaa';
    const told = async (answer: Answer) => {
      const { error, field, reason } = await lineOf(answer);
      return [error, field, reason];
    };
    const reply = (by: TestAgent, to: string, body: object) => by.post(`/v1/posts/${to}/replies`, body);
    assert.deepEqual(await told(await reply(bob, postId, { body: 'x', parentReplyId })), [
      'invalid_request',
      'parentReplyId',
      'no such reply to this post',
    ]);
    assert.deepEqual(await told(await reply(bob, inside, { body: 'x' })), ['forbidden', undefined, 'not a member']);
    const taken = { slug, displayName: 'C', description: '', visibility: 'public' };
    assert.deepEqual(await told(await bob.post('/v1/communities', taken)), [
      'conflict',
      'slug',
      'communities_slug_taken',
    ]);
    const late = await bob.signed('POST', `/v1/posts/${postId}/replies`, { body: { body: 'x' }, skewSeconds: -400 });
    assert.deepEqual(await told(late), ['unauthorized', undefined, 'timestamp outside the clock tolerance']);
    const unsigned = await bob.anonymous('POST', `/v1/posts/${postId}/replies`, { body: { body: 'x' } });
    assert.deepEqual(await told(unsigned), ['unauthorized', undefined, 'not signed']);
  });

  it('names a field as far as the operation knows it, and repeats nothing that somebody wrote', async () => {
    const postId = await postBy(ada);
    const finding = { statement: 's', checker: { rules: [] }, dataset: {}, result: {}, [MARKER]: 1 };
    const requests: [Promise<Answer>, string | undefined][] = [
      [bob.post('/v1/posts', { title: MARKER.repeat(100), body: MARKER }), 'title'],
      [bob.post('/v1/posts', { title: 'x', body: 'x', [MARKER]: MARKER }), undefined],
      [bob.post('/v1/posts', { title: 'x', body: 'x', finding }), 'finding'],
      [bob.get('/v1/posts', `${MARKER}=${MARKER}`), undefined],
      [bob.get('/v1/search', `q=${MARKER}&limit=${MARKER}`), 'limit'],
      [bob.signed('POST', '/v1/posts', { rawBody: `{"${MARKER}":1,"${MARKER}":2}` }), undefined],
      [callTool(bob, 'create_post', { title: 'x', body: 'x', [MARKER]: MARKER }), undefined],
      [callTool(bob, 'create_reply', { postId, body: { [MARKER]: MARKER } }), 'body.format'],
    ];
    for (const [request, field] of requests) {
      const line = await lineOf(await request);
      assert.equal(line.error, 'invalid_request', JSON.stringify(line));
      assert.equal(line.field, field, JSON.stringify(line));
    }
    assert.equal(written.filter((line) => line.includes(MARKER)).length, 0);
  });

  it('names a route without an operation as it was declared, and never a path without a route', async () => {
    const secret = `sk-${MARKER}`;
    const { postId } = (await ada.post('/v1/posts', { title: 'x', body: 'x' })).body.post;
    const told = async (method: string, path: string) => {
      const { headers } = await exchange(`${forum.url}${path}`, { method });
      const { op } = await lineOf({ status: 0, body: null, headers });
      return op;
    };
    assert.equal(await told('GET', `/${secret}`), 'unmatched');
    assert.equal(await told('GET', `/v1/${secret}/posts`), 'unmatched');
    assert.equal(await told('GET', `/docs/${secret}`), 'unmatched');
    assert.equal(await told('GET', `/assets/${secret}.js`), 'unmatched');
    assert.equal(await told('GET', `/posts/${postId}/${secret}`), 'unmatched');
    assert.equal(await told('GET', `/log/tile/${secret}`), '/log/tile/*path');
    assert.equal(await told('PUT', `/${secret}`), 'unmatched');
    assert.equal(await told('GET', `/v1/posts/${secret}`), 'unmatched');
    assert.equal(await told('GET', `/%2e/${secret}`), 'unmatched');
    assert.equal(await told('GET', '/docs/limits.md'), '/docs/limits.md');
    assert.equal(await told('GET', '/health'), '/health');
    assert.equal(written.filter((line) => line.includes(secret)).length, 0);
  });

  it('keeps its reasons off the wire', async () => {
    const answers = await Promise.all([
      bob.get('/v1/no-such-path'),
      bob.get(`/v1/posts/${UNKNOWN_POST}`),
      bob.post(`/v1/posts/${UNKNOWN_POST}/vote`, { value: 1 }),
      bob.post(`/v1/posts/${UNKNOWN_POST}/replies`, { body: 'x' }),
      bob.post('/v1/posts', { title: 'x' }),
      bob.post('/v1/governance/enforcement', {}),
      bob.anonymous('POST', '/v1/posts', { body: {} }),
      bob.post('/v1/communities/no-such-place/members', {}),
    ]);
    for (const answer of answers) {
      assert.ok(answer.status >= 400);
      const others = Object.keys(answer.body).filter((key) => !ON_THE_WIRE.has(key));
      assert.deepEqual(others, [], JSON.stringify(answer.body));
      const { reason } = await lineOf(answer);
      for (const [name, value] of answer.headers) assert.notEqual(value, reason, name);
    }
  });

  it('counts the statements and their time', async () => {
    const postId = await postBy(ada);
    const replied = await bob.post(`/v1/posts/${postId}/replies`, { body: 'x' });
    assert.equal(replied.status, 201);
    const write = await lineOf(replied);
    assert.equal(write.statements, 1);
    assert.ok(write.dbMs! > 0 && write.dbMs! <= write.ms, JSON.stringify(write));
    // The opening and the last statement.
    const preview = await lineOf(await bob.post('/v1/replies/preview', { postId, body: 'x' }));
    assert.equal(preview.statements, 2);
    const read = await lineOf(await bob.get(`/v1/posts/${postId}`));
    assert.equal(read.statements, 2);
    // The second time a copy is made, with its version before and after it, and whether bob has voted there.
    const called = await lineOf(await callTool(bob, 'get_post', { postId }));
    assert.deepEqual([called.op, called.statements], ['thread.read', 5]);
    const copied = await lineOf(await bob.get(`/v1/posts/${postId}`));
    assert.equal(copied.statements, 2);
    const refused = await lineOf(await new TestAgent(forum.url).post('/v1/posts', {}));
    assert.equal(refused.statements, 0);
  });

  it('is one line for all requests of a blocked address, which get 403 for everything but /health', async () => {
    const { config } = forum.api.services;
    const block = { network: '2001:db8:1:2::', prefix: 64, family: 'ipv6', untilMs: forum.api.clock.now() + 90_000 };
    const blockList = [{ ...block, family: 'ipv6' as const, reason: MARKER }];
    forum.api.reload({ ...config, trustProxy: true, blockList });
    const before = written.length;
    try {
      const from = (address: string) => ({ headers: { 'x-forwarded-for': address, accept: 'text/html' } });
      const blocked = from('2001:db8:1:2::5');
      for (const path of ['/v1/posts', '/docs', '/mcp', '/nothing']) {
        const answer = await fetch(`${forum.url}${path}`, blocked);
        assert.deepEqual([answer.status, await answer.json()], [403, { error: 'forbidden' }], path);
        assert.ok(Math.abs(Number(answer.headers.get('retry-after')) - 90) < 10);
        assert.equal(answer.headers.get('cache-control'), 'no-store');
      }
      const write = await bob.anonymous('POST', '/v1/posts', { ...blocked, body: { title: 'x', body: 'x' } });
      assert.equal(write.status, 403);
      for (const path of ['/health', '/health/storage'])
        assert.equal((await fetch(`${forum.url}${path}`, blocked)).status, 200, path);
      assert.equal((await fetch(`${forum.url}/v1/posts`, from('2001:db8:1:3::5'))).status, 200);
    } finally {
      forum.api.reload(config);
    }
    const logged = written.slice(before).map((line) => {
      const { level, msg, reason, requests, status } = JSON.parse(line);
      return [level, msg, reason, requests, status];
    });
    assert.deepEqual(logged, [
      [30, 'requests of blocked addresses refused', MARKER, 1, undefined],
      ...[200, 200, 200].map((status) => [30, undefined, undefined, undefined, status]),
    ]);
    assert.equal((await fetch(`${forum.url}/v1/posts`)).status, 200);
    // This marker was the operator's.
    written.splice(before);
  });

  it('has a warning beside it that names a slow statement', async () => {
    const postId = await postBy(ada);
    const client = await forum.database.pool.connect();
    let answer: Promise<Answer>;
    try {
      await client.query('BEGIN');
      await client.query('SELECT FROM post_states WHERE post_id = $1 FOR UPDATE', [postId]);
      answer = bob.post(`/v1/posts/${postId}/replies`, { body: MARKER });
      await sleep(700);
      await client.query('COMMIT');
    } finally {
      client.release();
    }
    const line = await lineOf(await answer);
    assert.equal(line.status, 201);
    const warnings = lines().filter(({ msg, id }) => msg === 'slow statement' && id === line.id);
    assert.deepEqual(
      warnings.map(({ statement }) => statement),
      ['replies.create'],
    );
    assert.ok(warnings[0]!.ms > 250);
    assert.equal(written.filter((each) => each.includes(MARKER)).length, 0);
  });
});
