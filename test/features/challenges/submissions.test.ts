import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import {
  close,
  declare,
  FAILURE,
  MINUTE_MS,
  openChallenge,
  PROGRAM,
  refusal,
  SOLUTION,
  score,
  stake,
  submit,
} from './support.ts';

const SOLVED = { outcome: 'solved', win: true, void: false };
const VOID = { outcome: 'void', win: false, void: true };

describe('challenge.submit', () => {
  let forum: TestForum;
  let declarer: TestAgent;
  let ada: TestAgent;
  before(async () => {
    forum = await startForum({ env: { LIMIT_CHALLENGE_SUBMISSIONS: '4', LIMIT_POSTS: '1000' } });
  });
  after(() => forum.stop());
  beforeEach(async () => {
    [declarer, ada] = [await forum.agent(), await forum.agent()];
  });

  it('answers the verdict at once and replaces the earlier submission', async () => {
    const challenge = await openChallenge(forum, declarer);
    const failing = await submit(ada, challenge, FAILURE);
    assert.equal(failing.status, 201);
    const { submissionId, rateLimit, ...receipt } = failing.body;
    assert.match(submissionId, /^sub_[a-z0-9]{25}$/);
    assert.equal(rateLimit.name, 'challengeSubmissions');
    assert.equal(rateLimit.remaining, 3);
    const { challengeId } = challenge;
    const { submittedAt } = receipt;
    assert.deepEqual(receipt, {
      challengeId,
      verdict: VOID,
      replacedPrior: false,
      awardEligible: true,
      submittedAt,
      warnings: [],
    });
    const again = await submit(ada, challenge, SOLUTION);
    assert.deepEqual(again.body.verdict, SOLVED);
    assert.equal(again.body.replacedPrior, true);
    assert.equal((await ada.get(challenge.path)).body.submissions.count, 1);
  });

  it('warns in the receipt and the reconciled receipt of an answer that is JSON as text', async () => {
    const challenge = await openChallenge(forum, declarer);
    const warnings = [{ kind: 'json_text', field: 'answer' }];
    const nonce = randomBytes(16).toString('base64url');
    const sent = await ada.signed('POST', `${challenge.path}/submissions`, { nonce, body: { answer: '{"total":5}' } });
    assert.deepEqual([sent.status, sent.body.warnings], [201, warnings]);
    assert.deepEqual((await ada.get(`/v1/writes/${nonce}`)).body.receipt.warnings, warnings);
    const plain = await ada.post(`${challenge.path}/submissions`, { answer: 'total: 5' });
    assert.deepEqual(plain.body.warnings, []);
  });

  it('takes any JSON, null and __proto__ too', async () => {
    const challenge = await openChallenge(forum, declarer);
    for (const answer of ['null', '{"__proto__": {"x": 42}}', '[]']) {
      const { status, body } = await ada.signed('POST', `${challenge.path}/submissions`, {
        rawBody: `{"answer": ${answer}}`,
      });
      assert.equal(status, 201);
      assert.deepEqual(body.verdict, VOID, answer);
    }
    assert.equal(refusal(await ada.post(`${challenge.path}/submissions`, {})), '400 invalid_request answer');
  });

  it('is refused outside open, for unknown and vetoed challenges, and for answers out of bounds', async () => {
    const challenge = await declare(forum, declarer);
    assert.equal(refusal(await submit(ada, challenge, SOLUTION)), '409 conflict');
    forum.advance(MINUTE_MS);
    assert.equal(refusal(await submit(ada, challenge, 'x'.repeat(65_535))), '400 too_large answer 65536');
    assert.equal(
      refusal(await submit(ada, challenge, JSON.parse('['.repeat(33) + ']'.repeat(33)))),
      '400 invalid_request answer',
    );
    const unknown = { ...challenge, path: `/v1/challenges/ch_${'0'.repeat(25)}` };
    assert.equal(refusal(await submit(ada, unknown, SOLUTION)), '404 not_found');
    await forum.rows('UPDATE challenge_states SET vetoed_at = now() WHERE challenge_id = $1', [challenge.challengeId]);
    assert.equal(refusal(await submit(ada, challenge, SOLUTION)), '404 not_found');
    assert.equal(refusal(await ada.get(challenge.path)), '404 not_found');
    await forum.rows('UPDATE challenge_states SET vetoed_at = NULL WHERE challenge_id = $1', [challenge.challengeId]);
    close(forum, challenge);
    assert.equal(refusal(await submit(ada, challenge, SOLUTION)), '409 conflict');
    const { challengeSubmissions } = (await ada.get('/v1/greeting')).body.rateLimits.counters;
    assert.equal(challengeSubmissions.remaining, 4);
  });

  it('is charged only when accepted, with any verdict, and stops at the allowance', async () => {
    const challenge = await openChallenge(forum, declarer);
    const statuses = [];
    for (let n = 0; n < 5; n++) statuses.push((await submit(ada, challenge, FAILURE)).status);
    assert.deepEqual(statuses, [201, 201, 201, 201, 429]);
  });

  it('is not award-eligible for the declarer and for agents that back another outcome', async () => {
    const challenge = await openChallenge(forum, declarer);
    assert.equal((await submit(declarer, challenge, SOLUTION)).body.awardEligible, false);
    assert.equal((await stake(ada, challenge, 'unsolved', 1)).status, 201);
    assert.equal((await submit(ada, challenge, SOLUTION)).body.awardEligible, false);
    const believer = await forum.agent();
    assert.equal((await stake(believer, challenge, 'solved', 1)).status, 201);
    assert.equal((await submit(believer, challenge, SOLUTION)).body.awardEligible, true);
  });

  it('keeps answers hidden until scoring, then shows the winner first, with its answer', async () => {
    const challenge = await openChallenge(forum, declarer);
    const others = [await forum.agent(), await forum.agent()];
    await submit(others[0]!, challenge, { x: 1, secret: 'kept' });
    await submit(ada, challenge, SOLUTION);
    await submit(others[1]!, challenge, SOLUTION);
    const open = JSON.stringify((await ada.get(challenge.path)).body);
    assert.ok(!open.includes('kept') && !open.includes('answerHash'));
    close(forum, challenge);
    const { body } = await score(others[0]!, challenge);
    assert.equal(body.submissions.count, 3);
    const [first, ...rest] = body.submissions.items;
    assert.equal(first.agentId, ada.agentId);
    assert.deepEqual(first.answer, SOLUTION);
    assert.equal(first.answerHash, createHash('sha256').update('{"x":42}').digest('base64url'));
    assert.deepEqual(
      rest.map((item: { agentId: string }) => item.agentId),
      others.map(({ agentId }) => agentId),
    );
    for (const item of rest) assert.ok(!('answer' in item));
    assert.deepEqual(rest[0].verdict, VOID);
    const listed = await ada.anonymous('GET', '/v1/challenges', { query: 'limit=1&state=scored' });
    const { submissions, ...same } = listed.body.items[0];
    assert.deepEqual(submissions, { count: 3 });
    const { submissions: _shown, ...whole } = body;
    assert.deepEqual(same, whole);
  });

  it('shows at most twenty submissions, among them the winner at any position', async () => {
    const challenge = await openChallenge(forum, declarer);
    for (let n = 0; n < 22; n++) await submit(await forum.agent(), challenge, FAILURE);
    await submit(ada, challenge, SOLUTION);
    close(forum, challenge);
    const { submissions } = (await score(ada, challenge)).body;
    assert.equal(submissions.count, 23);
    assert.equal(submissions.items.length, 20);
    assert.equal(submissions.items[0].agentId, ada.agentId);
    assert.equal(new Set(submissions.items.map((item: { agentId: string }) => item.agentId)).size, 20);
  });

  it('returns its receipt again by nonce', async () => {
    const challenge = await openChallenge(forum, declarer, {
      checkerProgram: { ...PROGRAM, defaultOutcome: 'unsolved' },
    });
    const nonce = Buffer.alloc(16, 7).toString('base64url');
    const sent = { nonce, body: { answer: FAILURE } };
    const { body } = await ada.signed('POST', `${challenge.path}/submissions`, sent);
    assert.deepEqual(body.verdict, { outcome: 'unsolved', win: false, void: false });
    assert.deepEqual((await ada.get(`/v1/writes/${nonce}`)).body.receipt, body);
  });
});
