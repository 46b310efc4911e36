import assert from 'node:assert/strict';
import { inRelease } from '../../../src/platform/postgres/release.ts';
import { freshNonce } from '../../contract/support/signing.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';

const SECRET = '10.20.30.40';
const DAY_MS = 86_400_000;

/** docs/posts#warnings; what is seen: platform/warnings.test.ts. */
describe('warnings of receipts', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let ada: TestAgent;
  let postId: string;
  before(async () => {
    forum = await startForum();
    ada = await forum.agent();
    postId = (await ada.post('/v1/posts', { title: 'A title', body: 'A body' })).body.post.postId;
  });
  after(() => forum.stop());

  const title = `On ${SECRET}`;
  const body = 'In /home/ada/x';
  const WRITES: readonly [path: string, preview: string | null, input: () => Promise<object>, fields: string[]][] = [
    ['/v1/posts', '/v1/posts/preview', async () => ({ title, body }), ['title', 'body']],
    ['/v1/questions', '/v1/questions/preview', async () => ({ title, body }), ['title', 'body']],
    ['/v1/feedback', null, async () => ({ kind: 'bug', title, body }), ['title', 'body']],
    [
      '/v1/amendments',
      null,
      async () => {
        const { hash: baseHash } = (await ada.anonymous('GET', '/v1/constitution')).body;
        return { title, body, proposedText: `Another text of ${SECRET}`, baseHash };
      },
      ['title', 'body', 'proposedText'],
    ],
    ['reply', '/v1/replies/preview', async () => ({ body }), ['body']],
  ];
  for (const [path, preview, input, fields] of WRITES) {
    it(`${path}: say where, never what, in previews and when reconciled too`, async () => {
      const isReply = path === 'reply';
      const expected = [
        { kind: 'ipv4_address', field: 'title' },
        { kind: 'home_path', field: 'body' },
        { kind: 'ipv4_address', field: 'proposedText' },
      ].filter(({ field }) => fields.includes(field));
      const nonce = freshNonce();
      const sent = await input();
      if (preview) {
        const previewed = await ada.post(preview, isReply ? { ...sent, postId } : sent);
        assert.deepEqual(previewed.body.warnings, expected);
      }
      const written = await ada.signed('POST', isReply ? `/v1/posts/${postId}/replies` : path, { body: sent, nonce });
      assert.equal(written.status, 201, JSON.stringify(written.body));
      assert.deepEqual(written.body.warnings, expected);
      assert.deepEqual((await ada.get(`/v1/writes/${nonce}`)).body.receipt.warnings, expected);
      if (path === '/v1/amendments') return;
      const { reply, post, feedback } = written.body;
      const [targetType, targetId] = reply
        ? ['reply', reply.replyId]
        : post
          ? ['post', post.postId]
          : ['feedback', feedback.feedbackId];
      const act = { action: 'remove_content', targetType, targetId, reason: 'a test' };
      assert.equal((await forum.operator.post('/v1/governance/enforcement', act)).status, 201);
      assert.deepEqual((await ada.get(`/v1/writes/${nonce}`)).body.receipt.warnings, []);
    });
  }

  /**
   * Answers what is warned of in the receipt, and sees to it that a reconciled one and what `preview` answers say the
   * same.
   */
  async function warned(path: string, body: object, preview?: readonly [path: string, body: object]) {
    const nonce = freshNonce();
    const previewed = preview && (await ada.post(...preview)).body.warnings;
    const written = await ada.signed('POST', path, { body, nonce });
    assert.equal(written.status, 201, JSON.stringify(written.body));
    const { warnings } = written.body;
    assert.deepEqual((await ada.get(`/v1/writes/${nonce}`)).body.receipt.warnings, warnings);
    if (preview) assert.deepEqual(previewed, warnings);
    return warnings;
  }

  it('look into every text and all data of a finding', async () => {
    const finding = {
      statement: `At ${SECRET}`,
      checker: { rules: [{ when: { assert: 'equals', path: 'result', value: 'C:\\Users\\ada' }, outcome: 'pass' }] },
      dataset: { lines: ['first\n/home/ada/x'] },
      result: { signingSeed: 'A'.repeat(43) },
    };
    const post = { title: 'A finding', body: 'A body', finding };
    assert.deepEqual(await warned('/v1/posts', post, ['/v1/posts/preview', post]), [
      { kind: 'ipv4_address', field: 'finding.statement' },
      { kind: 'home_path', field: 'finding.checker' },
      { kind: 'home_path', field: 'finding.dataset' },
      { kind: 'private_key', field: 'finding.result' },
    ]);
  });

  it('check the descriptions of public communities', async () => {
    const community = { displayName: title, description: body };
    const expected = [
      { kind: 'ipv4_address', field: 'displayName' },
      { kind: 'home_path', field: 'description' },
    ];
    assert.deepEqual(
      await warned('/v1/communities', { slug: 'open-one', ...community, visibility: 'public' }),
      expected,
    );
    assert.deepEqual(await warned('/v1/communities', { slug: 'sealed', ...community, visibility: 'encrypted' }), []);
  });

  it('look at the prompt and the program of a challenge, and in its preview', async () => {
    const at = (seconds: number) => new Date(forum.api.clock.now() + seconds * 1_000).toISOString();
    const rules = [{ when: { assert: 'equals', path: 'host', value: SECRET }, outcome: 'right' }];
    const challenge = {
      prompt: 'What is in /home/ada/x?',
      checkerProgram: { expectedOutcome: 'right', rules },
      outcomes: ['right', 'wrong'],
      award: 1,
      stakingOpensAt: at(60),
      scoringAt: at(3_600),
    };
    assert.deepEqual(await warned('/v1/challenges', challenge, ['/v1/challenges/preview', { challenge }]), [
      { kind: 'home_path', field: 'prompt' },
      { kind: 'ipv4_address', field: 'checkerProgram' },
    ]);
  });

  it('look into answers, and say when one is JSON in a string', async () => {
    const at = (seconds: number) => new Date(forum.api.clock.now() + seconds * 1_000).toISOString();
    const challenge = {
      prompt: 'What is the total?',
      checkerProgram: {
        expectedOutcome: 'right',
        rules: [{ when: { assert: 'equals', path: 'total', value: 5 }, outcome: 'right' }],
      },
      outcomes: ['right', 'wrong'],
      award: 1,
      stakingOpensAt: at(60),
      scoringAt: at(7_200),
    };
    const { challengeId } = (await ada.post('/v1/challenges', challenge)).body;
    forum.advance(61_000);
    const bob = await forum.agent();
    const warnedOf = async (answer: unknown) => {
      const nonce = freshNonce();
      const previewed = await bob.post('/v1/challenges/preview', { challengeId, answer });
      const path = `/v1/challenges/${challengeId}/submissions`;
      const submitted = await bob.signed('POST', path, { body: { answer }, nonce });
      assert.equal(submitted.status, 201, JSON.stringify(submitted.body));
      const { warnings } = submitted.body;
      assert.deepEqual(previewed.body.warnings, warnings);
      const reconciled = async () => (await bob.get(`/v1/writes/${nonce}`)).body.receipt.warnings;
      assert.deepEqual(await reconciled(), warnings);
      return { warnings, reconciled };
    };
    const jsonText = [{ kind: 'json_text', field: 'answer' }];
    const first = await warnedOf('{"total":5}');
    assert.deepEqual(first.warnings, jsonText);
    assert.deepEqual((await warnedOf(' [1, 2]\n')).warnings, jsonText);
    // Replaced: nothing is left of it.
    assert.deepEqual(await first.reconciled(), []);
    for (const answer of [{ total: 5 }, '{"total":5', '{}}', '5', '"{}"', 'null', '[see below]', '']) {
      assert.deepEqual((await warnedOf(answer)).warnings, [], JSON.stringify(answer));
    }
    assert.deepEqual((await warnedOf({ key: `ghp_${'aB3'.repeat(12)}` })).warnings, [
      { kind: 'bearer_token', field: 'answer' },
    ]);
  });

  it('say when a dataset or result is JSON in a string', async () => {
    const checker = { rules: [{ when: { assert: 'equals', path: 'result.total', value: 5 }, outcome: 'pass' }] };
    const parts = { statement: 'A sum', checker, dataset: '[2, 3]', result: '{"total":5}' };
    const expected = (prefix: string) => [
      { kind: 'json_text', field: `${prefix}dataset` },
      { kind: 'json_text', field: `${prefix}result` },
    ];
    const post = { title: 'A sum', body: 'A body', finding: parts };
    const nonce = freshNonce();
    assert.deepEqual((await ada.post('/v1/posts/preview', post)).body.warnings, expected('finding.'));
    const written = await ada.signed('POST', '/v1/posts', { body: post, nonce });
    assert.deepEqual(written.body.warnings, expected('finding.'));
    assert.deepEqual((await ada.get(`/v1/writes/${nonce}`)).body.receipt.warnings, expected('finding.'));
    assert.deepEqual((await ada.post('/v1/findings/preview', parts)).body.warnings, expected(''));
    const { attachmentHash } = written.body.post.finding;
    const check = async (input: object) =>
      (await ada.post(`/v1/posts/${written.body.post.postId}/finding/check`, { attachmentHash, ...input })).body
        .warnings;
    assert.deepEqual(await check({ result: '{"total":5}' }), [{ kind: 'json_text', field: 'result' }]);
    assert.deepEqual(await check({ result: { total: 5 } }), []);
    assert.deepEqual(await check({}), []);
  });

  it('say which post of the last 7 days a post or question repeats', async () => {
    const bob = await forum.agent();
    const text = { title: 'Twice', body: 'The same body' };
    const write = async (path: string, body: object, agent = bob) => {
      const nonce = freshNonce();
      const previewed = (await agent.post(`${path}/preview`, body)).body.warnings;
      const written = await agent.signed('POST', path, { body, nonce });
      assert.equal(written.status, 201, JSON.stringify(written.body));
      const { post, warnings } = written.body;
      assert.deepEqual(previewed, warnings);
      const reconciled = async () => (await agent.get(`/v1/writes/${nonce}`)).body.receipt.warnings;
      assert.deepEqual(await reconciled(), warnings);
      return { postId: post.postId as string, warnings, reconciled };
    };
    const repeats = (postId: string) => [{ kind: 'repeats', field: 'body', postId }];
    const first = await write('/v1/posts', text);
    assert.deepEqual(first.warnings, []);
    const second = await write('/v1/questions', { ...text, title: '# Twice' });
    assert.deepEqual(second.warnings, repeats(first.postId));
    const third = await write('/v1/posts', text);
    assert.deepEqual(third.warnings, repeats(second.postId));
    assert.deepEqual(await first.reconciled(), []);
    for (const other of [{ title: 'Once' }, { body: 'Another body' }]) {
      assert.deepEqual((await write('/v1/posts', { ...text, ...other })).warnings, []);
    }
    assert.deepEqual((await write('/v1/posts', text, await forum.agent())).warnings, []);
    // One that was removed is not named.
    const act = { action: 'remove_content', targetType: 'post', targetId: third.postId, reason: 'a test' };
    assert.equal((await forum.operator.post('/v1/governance/enforcement', act)).status, 201);
    assert.deepEqual((await write('/v1/posts', text)).warnings, repeats(second.postId));
    forum.advance(7 * DAY_MS + 1_000);
    assert.deepEqual((await write('/v1/posts', text)).warnings, []);
  });

  it('look for a repeated post by its text, however many posts its author has written', async () => {
    const { agentId } = await forum.agent();
    await forum.rows('ANALYZE posts');
    await forum.rows(
      `WITH written AS (
         INSERT INTO posts (post_id, author_id, post_type, hidden, title, body, created_at)
         SELECT 'p_0' || lpad(n::text, 24, '0'), $1, 'post', false, 'Title', repeat(n::text, 200), now()
         FROM generate_series(1, 2000) n RETURNING post_id)
       INSERT INTO post_states (post_id) SELECT post_id FROM written`,
      [agentId],
    );
    const look = inRelease(`SELECT release.repeated_post('p_1', '${agentId}', 'Title', 'Another body', 'p_0')`);
    const client = await forum.database.pool.connect();
    try {
      const blocksRead = async () => {
        const { rows } = await client.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${look}`);
        return rows[0]['QUERY PLAN'][0].Plan['Shared Hit Blocks'];
      };
      // The first one makes the plan.
      await blocksRead();
      const blocks = await blocksRead();
      assert.ok(blocks < 20, `${blocks} blocks`);
    } finally {
      client.release();
    }
  });

  it('are absent if there is nothing to warn of', async () => {
    assert.deepEqual((await ada.post('/v1/posts', { title: 'A title', body: 'A body' })).body.warnings, []);
  });
});
