import assert from 'node:assert/strict';
import type { Dossier } from '../../../src/features/overview/schemas.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { deadlocks, heldBack } from '../../support/heldBack.ts';
import { refusal } from '../challenges/support.ts';
import { finding, independentHashes, nested, RULES } from './support.ts';

describe('findings', () => {
  let forum: TestForum;
  let ada: TestAgent;
  before(async () => {
    forum = await startForum({ env: { LIMIT_POSTS: '1000' } });
    ada = await forum.agent();
  });
  after(() => forum.stop());

  const write = (agent: TestAgent, attached: unknown, change: object = {}) =>
    agent.post('/v1/posts', { title: 'A finding', body: 'It passes.', finding: attached, ...change });
  const posted = async (agent: TestAgent, attached: unknown): Promise<string> => {
    const { status, body } = await write(agent, attached);
    assert.equal(status, 201, JSON.stringify(body));
    return body.post.postId;
  };
  const read = async (postId: string) => (await ada.anonymous('GET', `/v1/posts/${postId}/finding`)).body;
  const removed = (postId: string, value: boolean) =>
    forum.rows('UPDATE post_states SET removed = $2 WHERE post_id = $1', [postId, value]);

  it('are attached to a post, which shows a summary, and read in full', async () => {
    const sent = finding();
    const { status, body } = await write(ada, sent);
    assert.equal(status, 201);
    assert.equal(body.rateLimit.name, 'posts');
    const { postId } = body.post;
    const attachment = await read(postId);
    const verdict = { outcome: 'pass', win: true };
    const links = { self: `/v1/posts/${postId}/finding`, check: `/v1/posts/${postId}/finding/check` };
    const linkMethods = { check: 'POST' };
    const { attachmentHash } = attachment;
    assert.deepEqual(body.post.finding, { attachmentHash, verdict, links, linkMethods });
    const thread = (await ada.anonymous('GET', `/v1/posts/${postId}`)).body;
    assert.deepEqual(thread.post.finding, body.post.finding);
    const { note, ...rest } = attachment;
    assert.ok(note.includes('does not prove'));
    assert.deepEqual(rest, {
      format: 'svc-finding-attachment-v1',
      ...independentHashes(sent, verdict, null),
      evidenceStatus: 'checked_supplied_result',
      verdict,
      supersedes: null,
      supersededBy: null,
      links,
      linkMethods,
      postId,
      authorAgentId: ada.agentId,
      declaration: {
        format: 'svc-finding-declaration-v1',
        statement: sent.statement,
        checker: {
          grammar: 'svc-checker-dsl-v0',
          rules: sent.checker.rules,
          outcomes: ['pass', 'fail'],
          expectedOutcome: 'pass',
          defaultOutcome: 'fail',
        },
      },
      dataset: sent.dataset,
      result: sent.result,
    });
  });

  it('a finding that fails is posted with its verdict and its JSON unchanged', async () => {
    const result = JSON.parse('{"__proto__": {"mean": 2}, "2": 1, "10": [null, "\\u20ac", 1e21, 0.1]}');
    const attachment = await read(await posted(ada, finding({ result, dataset: null })));
    assert.deepEqual(attachment.verdict, { outcome: 'fail', win: false });
    assert.equal(JSON.stringify(attachment.result), JSON.stringify(result));
    assert.equal(attachment.dataset, null);
    const hashes = independentHashes(finding({ result, dataset: null }), attachment.verdict, null);
    assert.equal(attachment.attachmentHash, hashes.attachmentHash);
  });

  it('are previewed with posts, and on their own, storing nothing', async () => {
    const count = async () => (await forum.rows('SELECT FROM findings')).length;
    const before = await count();
    const preview = await ada.post('/v1/posts/preview', { title: 'A finding', body: 'x', finding: finding() });
    assert.equal(preview.status, 200);
    assert.equal(preview.body.post.finding.verdict.win, true);
    const { status, body } = await ada.anonymous('POST', '/v1/findings/preview', { body: finding() });
    assert.equal(status, 200);
    assert.equal(await count(), before);
    const { note: _note, declaration, ...check } = body;
    assert.deepEqual(check, {
      format: 'svc-finding-preview-v1',
      stored: false,
      ...independentHashes(finding(), { outcome: 'pass', win: true }, null),
      verdict: { outcome: 'pass', win: true, void: false },
      evidenceStatus: 'checked_supplied_result',
      warnings: [],
    });
    assert.equal(declaration.statement, finding().statement);
    assert.equal(body.attachmentHash, preview.body.post.finding.attachmentHash);
  });

  const bounds: [string, object, string][] = [
    ['the longest statement', { statement: 's'.repeat(4096) }, ''],
    ['a longer one', { statement: 's'.repeat(4097) }, '400 invalid_request statement'],
    ['an empty one', { statement: '' }, '400 invalid_request statement'],
    ['sixteen rules', { checker: { rules: Array(16).fill(RULES[0]) } }, ''],
    ['seventeen', { checker: { rules: Array(17).fill(RULES[0]) } }, '400 unsupported_checker_class rules'],
    ['no rule', { checker: { rules: [] } }, '400 unsupported_checker_class rules'],
    [
      'another outcome',
      { checker: { rules: [RULES[0], { ...RULES[0], outcome: 'void' }] } },
      '400 unsupported_checker_class rules[1]',
    ],
    [
      'more in the checker',
      { checker: { rules: RULES, expectedOutcome: 'pass' } },
      '400 invalid_request checker.expectedOutcome',
    ],
    ['the largest dataset', { dataset: `${'€'.repeat(5460)}ab` }, ''],
    ['a larger one', { dataset: `${'€'.repeat(5460)}abc` }, '400 too_large dataset 16384'],
    ['the largest result', { result: 'x'.repeat(32_766) }, ''],
    ['a larger one', { result: 'x'.repeat(32_767) }, '400 too_large result 32768'],
    ['the deepest dataset', { dataset: nested(31) }, ''],
    ['a deeper one', { dataset: nested(32) }, '400 invalid_request dataset'],
    ['the deepest result', { result: nested(31) }, ''],
    ['a deeper one', { result: nested(32) }, '400 invalid_request result'],
    ['no result', { result: undefined }, '400 invalid_request result'],
    ['another property', { more: 1 }, '400 invalid_request more'],
  ];
  for (const [name, change, expected] of bounds) {
    it(`${expected === '' ? 'take' : 'refuse'} ${name}`, async () => {
      const preview = await ada.anonymous('POST', '/v1/findings/preview', { body: finding(change) });
      const attached = await write(ada, finding(change));
      assert.equal(preview.status === 200 ? '' : refusal(preview), expected);
      const field = expected.includes('unsupported') ? expected : expected.replace(/_(request|large) /, '_$1 finding.');
      assert.equal(attached.status === 201 ? '' : refusal(attached), field);
    });
  }

  it('are replayed on the stored or another result, null too', async () => {
    const postId = await posted(ada, finding());
    const { attachmentHash, resultHash } = await read(postId);
    const check = (body: object) => ada.anonymous('POST', `/v1/posts/${postId}/finding/check`, { body });
    const storedVerdict = { outcome: 'pass', win: true };
    const comparison = {
      format: 'svc-finding-comparison-v1',
      storedResultHash: resultHash,
      storedVerdict,
      executionEvidence: 'not_verified',
    };
    const stored = (await check({ attachmentHash })).body;
    assert.equal(stored.attachmentHash, attachmentHash);
    assert.deepEqual(stored.comparison, {
      ...comparison,
      resultSource: 'stored',
      sameAsStored: true,
      outcomeChanged: false,
    });
    const same = (await check({ attachmentHash, result: finding().result })).body;
    assert.deepEqual(same.comparison, { ...stored.comparison, resultSource: 'supplied' });
    for (const result of [null, { mean: 3 }]) {
      const other = (await check({ attachmentHash, result })).body;
      const changed = { resultSource: 'supplied', sameAsStored: false, outcomeChanged: true };
      assert.deepEqual(other.comparison, { ...comparison, ...changed });
      assert.deepEqual(other.verdict, { outcome: 'fail', win: false, void: false });
      const hashes = independentHashes(finding({ result }), { outcome: 'fail', win: false }, null);
      assert.equal(other.attachmentHash, hashes.attachmentHash);
      assert.equal(other.resultHash, hashes.resultHash);
    }
    const more = (await check({ attachmentHash, result: { mean: 2, more: 1 } })).body;
    assert.deepEqual([more.comparison.sameAsStored, more.comparison.outcomeChanged], [false, false]);
    assert.equal(refusal(await check({ attachmentHash: resultHash })), '400 declaration_hash_mismatch attachmentHash');
    assert.equal(refusal(await check({ attachmentHash: 'short' })), '400 invalid_request attachmentHash');
    assert.equal(refusal(await check({})), '400 invalid_request attachmentHash');
    assert.equal(refusal(await check({ attachmentHash, result: 'x'.repeat(32_767) })), '400 too_large result 32768');
    assert.equal(refusal(await check({ attachmentHash, result: nested(32) })), '400 invalid_request result');
  });

  it('are not found when missing or removed', async () => {
    const postId = await posted(ada, finding());
    const plain = (await write(ada, undefined)).body.post;
    assert.equal(plain.finding, null);
    const { attachmentHash } = await read(postId);
    await removed(postId, true);
    for (const id of [postId, plain.postId, `p_${'0'.repeat(25)}`]) {
      assert.equal(refusal(await ada.anonymous('GET', `/v1/posts/${id}/finding`)), '404 not_found');
      const body = { attachmentHash };
      assert.equal(refusal(await ada.anonymous('POST', `/v1/posts/${id}/finding/check`, { body })), '404 not_found');
    }
  });

  it('are taken in public communities and refused in encrypted ones', async () => {
    const { encryptionPublicKey } = ada;
    for (const [slug, visibility] of [
      ['public-findings', 'public'],
      ['secret-findings', 'encrypted'],
    ]) {
      const made = await ada.post('/v1/communities', { slug, displayName: slug, description: '', visibility });
      assert.equal(made.status, 201);
    }
    assert.equal((await write(ada, finding(), { communitySlug: 'public-findings' })).status, 201);
    const key = { publicKey: encryptionPublicKey, nonce: b64(24), wrappedKey: b64(48) };
    const body = { format: 'svc-envelope-v1', nonce: b64(24), ciphertext: b64(40), recipients: [key] };
    const place = { communitySlug: 'secret-findings', body };
    assert.equal((await write(ada, undefined, place)).status, 201);
    assert.equal(refusal(await write(ada, finding(), place)), '400 invalid_request finding');
  });

  it('correct an own, visible finding, once', async () => {
    const bob = await forum.agent();
    const postId = await posted(ada, finding());
    const { attachmentHash, manifestHash } = await read(postId);
    const supersedes = { postId, attachmentHash };
    const wrong = '400 invalid_request finding.supersedes';
    assert.equal(refusal(await write(bob, finding({ supersedes }))), wrong);
    assert.equal(refusal(await write(ada, finding({ supersedes: { postId, attachmentHash: manifestHash } }))), wrong);
    const plain = (await write(ada, undefined)).body.post.postId;
    assert.equal(refusal(await write(ada, finding({ supersedes: { postId: plain, attachmentHash } }))), wrong);
    await removed(postId, true);
    assert.equal(refusal(await write(ada, finding({ supersedes }))), wrong);
    await removed(postId, false);
    const answers = await Promise.all(Array.from({ length: 8 }, () => write(ada, finding({ supersedes }))));
    const [accepted, ...more] = answers.filter(({ status }) => status === 201);
    assert.equal(more.length, 0);
    for (const answer of answers)
      if (answer !== accepted) assert.equal(refusal(answer), '409 conflict finding.supersedes');
    const laterId = accepted!.body.post.postId;
    const later = await read(laterId);
    assert.deepEqual(later.supersedes, { available: true, ...supersedes });
    assert.equal(later.attachmentHash, independentHashes(finding(), later.verdict, supersedes).attachmentHash);
    await removed(postId, true);
    const redacted = await read(laterId);
    assert.deepEqual(redacted.supersedes, { available: false });
    assert.equal(redacted.attachmentHash, later.attachmentHash);
    const body = { attachmentHash: later.attachmentHash };
    const check = await ada.anonymous('POST', `/v1/posts/${laterId}/finding/check`, { body });
    assert.equal(check.body.attachmentHash, later.attachmentHash);
    assert.ok(!JSON.stringify(check.body).includes(postId));
  });

  it('name the visible finding that supersedes them, in every read of the post', async () => {
    const [first, second] = ['superseded-place', 'successor-place'];
    for (const slug of [first, second]) {
      const place = { slug, displayName: slug, description: '', visibility: 'public' };
      assert.equal((await ada.post('/v1/communities', place)).status, 201);
    }
    const { postId } = (await write(ada, finding(), { communitySlug: first })).body.post;
    const { attachmentHash } = await read(postId);
    const itemOf = (items: { postId: string; supersededBy: object | null }[]) =>
      items.find((item) => item.postId === postId)!;
    const shown = async () => {
      const get = async (path: string, query = '') => (await ada.anonymous('GET', path, { query })).body;
      // Twice, so that the second comes from the cache.
      const everywhere = async () => [
        (await get(`/v1/posts/${postId}`)).post,
        await get(`/v1/posts/${postId}/finding`),
        itemOf((await get('/v1/posts', `community=${first}&finding=true`)).items),
        itemOf((await get(`/v1/communities/${first}/digest`)).newest),
        itemOf((await get('/v1/search', `q=&author=${ada.handle}&community=${first}`)).posts),
      ];
      const seen = [...(await everywhere()), ...(await everywhere())].map(({ supersededBy }) => supersededBy);
      for (const each of seen) assert.deepEqual(each, seen[0]);
      return seen[0];
    };
    assert.equal(await shown(), null);
    const supersedes = { postId, attachmentHash };
    const laterId = (await write(ada, finding({ supersedes }), { communitySlug: second })).body.post.postId;
    const successor = { postId: laterId, attachmentHash: (await read(laterId)).attachmentHash };
    assert.deepEqual(await shown(), successor);
    for (const [targetType, targetId] of [
      ['post', laterId],
      ['community', second],
    ]) {
      for (const [action, expected] of [
        ['remove_content', null],
        ['restore_content', successor],
      ] as const) {
        const body = { action, targetType, targetId, reason: 'R' };
        assert.equal((await forum.operator.post('/v1/governance/enforcement', body)).status, 201);
        assert.deepEqual(await shown(), expected);
      }
    }
  });

  it('are counted for the dossier, with the latest five titles', async () => {
    const carol = await forum.agent();
    const ids = [];
    for (let n = 0; n < 7; n++) ids.push(await posted(carol, finding()));
    await write(carol, undefined);
    await removed(ids[6]!, true);
    const { body } = await carol.anonymous('GET', `/v1/agents/${carol.handle}/dossier`);
    const { count, latest } = body.findings as Dossier['findings'];
    assert.equal(count, 6);
    assert.equal(body.posts.count, 7);
    assert.deepEqual(
      latest.map(({ postId }) => postId),
      ids.slice(1, 6).toReversed(),
    );
    assert.deepEqual(Object.keys(latest[0]!), ['postId', 'title', 'createdAt', 'link']);
  });

  it('are written while what they correct is removed, without a circle of locks', async () => {
    const postId = await posted(ada, finding());
    const { attachmentHash } = await read(postId);
    const act = { action: 'remove_content', targetType: 'post', targetId: postId, reason: 'R' };
    const [removal, correction] = await heldBack(
      forum,
      { text: 'SELECT FROM post_states WHERE post_id = $1 FOR UPDATE', values: [postId] },
      [
        () => forum.operator.post('/v1/governance/enforcement', act),
        () => write(ada, finding({ supersedes: { postId, attachmentHash } })),
      ],
    );
    assert.equal(removal!.status, 201);
    assert.deepEqual([correction!.status, correction!.body.field], [400, 'finding.supersedes']);
    assert.equal(await deadlocks(forum), 0);
  });
});

const b64 = (bytes: number): string => Buffer.alloc(bytes, 1).toString('base64url');
