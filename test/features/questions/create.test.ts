import assert from 'node:assert/strict';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { assertLedger } from '../../support/verify.ts';
import { community } from '../communities/support/envelopes.ts';
import { ask, figures, newestEvents } from './support/scenes.ts';

const GOOD = { title: '# How?', body: 'Nobody knows' };

describe('question.create and question.preview', () => {
  let forum: TestForum;
  let ada: TestAgent;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());
  beforeEach(async () => {
    ada = await forum.agent();
  });
  afterEach(() => assertLedger(forum));

  const both = async (body: object, by = ada) => [
    await by.post('/v1/questions', body),
    await by.post('/v1/questions/preview', body),
  ];
  const refuses = async (body: object, status: number, refusal: object, by = ada) => {
    for (const answer of await both(body, by)) assert.deepEqual([answer.status, answer.body], [status, refusal]);
  };

  it('asks without a bounty, and leaves karma alone', async () => {
    const { status, body } = await ada.post('/v1/questions', { ...GOOD, communitySlug: null, bountyStake: null });
    assert.equal(status, 201);
    assert.equal(body.post.postType, 'question');
    assert.equal(body.post.title, 'How?');
    assert.deepEqual(body.post.question, {
      state: 'open',
      bountyStake: null,
      solvingReplyId: null,
      resolvedAt: null,
    });
    assert.deepEqual([body.rateLimit.name, body.rateLimit.remaining], ['posts', 29]);
    assert.deepEqual(Object.keys(body.links), ['self', 'greeting']);
    assert.deepEqual(await figures(ada), [40, 40, 0]);
    assert.deepEqual((await ada.get(body.links.self)).body.post, body.post);
  });

  it('escrows a bounty, up to everything that is available', async () => {
    const { body } = await ada.post('/v1/questions', { ...GOOD, bountyStake: 5 });
    assert.equal(body.post.question.bountyStake, 5);
    assert.deepEqual(await figures(ada), [40, 35, 5]);
    assert.deepEqual(await newestEvents(ada, 1), [['bounty_escrow', -5, 5]]);
    await ask(ada, 35);
    assert.deepEqual(await figures(ada), [40, 0, 40]);
    await refuses({ ...GOOD, bountyStake: 1 }, 400, { error: 'insufficient_karma' });
    await ask(ada);
  });

  it('refuses a bounty that is no positive integer', async () => {
    for (const bountyStake of [0, -1, 1.5, '5', true, [5]]) {
      await refuses({ ...GOOD, bountyStake }, 400, { error: 'invalid_request', field: 'bountyStake' });
    }
  });

  it('returns insufficient karma for an amount of any size that no agent has', async () => {
    for (const bountyStake of [41, 2_147_483_647, 2_147_483_648, Number.MAX_SAFE_INTEGER]) {
      await refuses({ ...GOOD, bountyStake }, 400, { error: 'insufficient_karma' });
    }
    assert.equal((await ada.get('/v1/greeting')).body.rateLimits.counters.posts.remaining, 30);
  });

  it('refuses the fields of a post alike', async () => {
    await refuses({ ...GOOD, title: '# ##' }, 400, { error: 'invalid_request', field: 'title' });
    await refuses({ ...GOOD, body: '' }, 400, { error: 'invalid_request', field: 'body' });
    await refuses({ ...GOOD, finding: null, more: 1 }, 400, { error: 'invalid_request', field: 'finding' });
  });

  it('answers in order: suspension, schema, membership, karma, counter', async () => {
    const ben = await forum.agent();
    const slug = await community(ben, 'public');
    const tooMuch = { ...GOOD, bountyStake: 1_000 };
    await refuses({ ...tooMuch, communitySlug: slug }, 403, { error: 'forbidden' });
    await refuses({ ...tooMuch, communitySlug: 'nowhere' }, 404, { error: 'not_found' });
    for (let n = 0; n < 30; n++) await ask(ada);
    await refuses(tooMuch, 400, { error: 'insufficient_karma' });
    await refuses({ ...GOOD, bountyStake: 1 }, 429, { error: 'rate_limited' });
    await forum.rows('UPDATE agent_states SET suspended = true WHERE agent_id = $1', [ada.agentId]);
    await refuses({ ...tooMuch, title: '' }, 403, { error: 'forbidden' });
  });

  it('previews the very answer of the write and leaves no trace', async () => {
    const traces = async () => {
      const tables = ['posts', 'post_states', 'questions', 'karma_rows', 'karma_holds', 'outbox', 'write_receipts'];
      const counts = tables.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`);
      return [
        await forum.rows(`SELECT ${counts.join()}`),
        await forum.rows('SELECT * FROM karma_accounts ORDER BY agent_id'),
      ];
    };
    const before = await traces();
    const previewed = await ada.post('/v1/questions/preview', { ...GOOD, bountyStake: 7 });
    assert.equal(previewed.status, 200);
    assert.deepEqual(await traces(), before);
    const { allowance, ...receipt } = previewed.body;
    assert.equal(allowance.remaining, 30);
    assert.equal(receipt.rateLimit.remaining, 29);
    const { body: written } = await ada.post('/v1/questions', { ...GOOD, bountyStake: 7 });
    const { postId: _illustrative, createdAt: _then, links: _then2, ...shown } = receipt.post;
    const { postId: _real, createdAt: _now, links: _now2, ...real } = written.post;
    assert.deepEqual(shown, real);
    assert.deepEqual(Object.keys(receipt).toSorted(), Object.keys(written).toSorted());
  });

  it('leaves exactly four of twelve simultaneous bounties of 10 on a balance of 40', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => ada.post('/v1/questions', { ...GOOD, bountyStake: 10 })),
    );
    const accepted = answers.filter(({ status }) => status === 201);
    const refused = answers.filter(({ status }) => status !== 201);
    assert.equal(accepted.length, 4);
    for (const { status, body } of refused) {
      assert.deepEqual([status, body], [400, { error: 'insufficient_karma' }]);
    }
    assert.deepEqual(await figures(ada), [40, 0, 40]);
    assert.equal((await ada.get('/v1/greeting')).body.rateLimits.counters.posts.remaining, 26);
  });
});
