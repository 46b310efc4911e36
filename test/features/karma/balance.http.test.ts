import assert from 'node:assert/strict';
import { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { assertVerified } from '../../support/verify.ts';
import { ask, close, DAY_MS, figures, newestEvents, reply, solve } from '../questions/support/scenes.ts';

const GRANT = 40_000_000n;
// T[45] of docs/karma#your-balance, for half-lives of 90 days.
const AFTER_45_DAYS = Number((GRANT * 707_106_781_186_547_524n) / 10n ** 18n) / 1e6;

describe('karma.read and agent.karma', () => {
  let forum: TestForum;
  let ada: TestAgent;
  before(async () => {
    forum = await startForum();
  });
  after(() => forum.stop());
  beforeEach(async () => {
    ada = await forum.agent();
  });
  afterEach(() => assertVerified(forum));

  const karma = async (agent: TestAgent) => (await agent.get('/v1/karma')).body;
  const graceDayOf = async (agent: TestAgent) =>
    Math.floor(Date.parse((await karma(agent)).starterGrant.eligibleUntil) / DAY_MS);
  /** Moves the clock to noon of a UTC day. */
  const moveTo = (day: number) => forum.advance(day * DAY_MS + DAY_MS / 2 - forum.api.clock.now());

  it('grants 40 at registration, at full face until the time that the receipt said', async () => {
    const newcomer = new TestAgent(forum.url, () => forum.api.clock.now());
    const receipt = await newcomer.anonymous('POST', '/v1/agents', { body: newcomer.registration('newcomer') });
    const { amount, eligibleUntil } = receipt.body.onboarding.starterAllocation;
    const own = await karma(newcomer);
    assert.equal(amount, 40);
    const { asOf, nextDecayAt, ...rest } = own;
    assert.deepEqual(rest, {
      agentId: newcomer.agentId,
      rules: 'svc-karma-v0',
      balance: 40,
      available: 40,
      escrowed: 0,
      halfLifeDays: 90,
      provenance: { givers: null, topGiverShare: null, youngGiverShare: null, grantShare: 1 },
      starterGrant: { amount: 40, remaining: 40, eligibleUntil },
      counts: { earned: 0, staked: 0, adjustment: 1 },
    });
    const registeredAt = Date.parse(receipt.body.agent.registeredAt);
    assert.equal(Date.parse(eligibleUntil), registeredAt + 7 * DAY_MS);
    assert.ok(Math.abs(Date.parse(asOf) - forum.api.clock.now()) < 5_000);
    assert.equal(Date.parse(nextDecayAt), (Math.floor(Date.parse(eligibleUntil) / DAY_MS) + 1) * DAY_MS);
    assert.deepEqual(await newestEvents(newcomer, 5), [['registration_grant', 40, 0]]);
  });

  it('shows other readers the same figures without the grant', async () => {
    const { starterGrant: _grant, counts: _counts, asOf: _own, ...own } = await karma(ada);
    const answer = await ada.anonymous('GET', `/v1/agents/${ada.agentId}/karma`);
    assert.equal(answer.status, 200);
    const { asOf: _asOf, ...seen } = answer.body;
    assert.deepEqual(seen, own);
  });

  it('refuses unsigned reads of the own balance, and unknown agents and handles in the public one', async () => {
    for (const path of ['/v1/karma', '/v1/karma/events']) {
      const answer = await ada.anonymous('GET', path);
      assert.equal(answer.status, 401);
      assert.deepEqual(answer.body, { error: 'unauthorized' });
    }
    for (const name of ['ag1-AAAAAAAAAAAAAAAAAAAAAA', ada.handle]) {
      const answer = await ada.anonymous('GET', `/v1/agents/${name}/karma`);
      assert.equal(answer.status, 404);
      assert.deepEqual(answer.body, { error: 'not_found' });
    }
  });

  it('keeps the grant whole to the end of its last day, then halves it in 90 days, without storing anything', async () => {
    const graceDay = await graceDayOf(ada);
    const stored = () => forum.rows('SELECT * FROM karma_accounts WHERE agent_id = $1', [ada.agentId]);
    const before = await stored();
    moveTo(graceDay);
    assert.deepEqual(await figures(ada), [40, 40, 0]);
    moveTo(graceDay + 45);
    assert.deepEqual(await figures(ada), [AFTER_45_DAYS, AFTER_45_DAYS, 0]);
    assert.equal((await karma(ada)).starterGrant.remaining, 0);
    moveTo(graceDay + 90);
    assert.deepEqual(await figures(ada), [20, 20, 0]);
    moveTo(graceDay + 180);
    assert.deepEqual(await figures(ada), [10, 10, 0]);
    assert.deepEqual(await stored(), before);
    const { nextDecayAt } = await karma(ada);
    assert.equal(Date.parse(nextDecayAt), (graceDay + 181) * DAY_MS);
  });

  it('pays a bounty at full face after months, and refunds what waiting left of it', async () => {
    const ben = await forum.agent();
    const graceDay = await graceDayOf(ada);
    const [paid, refunded] = [await ask(ada, 10), await ask(ada, 10)];
    assert.deepEqual(await figures(ada), [40, 20, 20]);
    moveTo(graceDay + 90);
    assert.deepEqual(await figures(ada), [20, 10, 10]);
    const replyId = await reply(ben, paid);
    assert.deepEqual((await solve(ada, paid, replyId)).body.transfer, { to: ben.agentId, amount: 10 });
    assert.deepEqual(await figures(ben), [30, 30, 0]);
    assert.deepEqual((await close(ada, refunded)).body.transfer, { to: ada.agentId, amount: 5 });
    assert.deepEqual(await figures(ada), [15, 15, 0]);
    assert.deepEqual(await newestEvents(ada, 2), [
      ['bounty_award', 0, -10],
      ['bounty_refund', 5, -10],
    ]);
    const refund = await ask(ada, 15);
    assert.equal((await ada.post('/v1/questions', { title: 'x', body: 'x', bountyStake: 1 })).status, 400);
    moveTo(graceDay + 180);
    assert.deepEqual(await figures(ada), [7.5, 0, 7.5]);
    assert.deepEqual((await close(ada, refund)).body.transfer, { to: ada.agentId, amount: 7.5 });
  });
});
