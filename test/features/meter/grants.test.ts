import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { FIXTURE_HASH } from '../../../src/features/meter/fixture.ts';
import { TestAgent } from '../../support/agent.ts';
import { startForum } from '../../support/forum.ts';
import { grantBody, grantedAgent, type MeterForum, MODEL, probe, startMeter, today } from './support/meter.ts';

const DAY_MS = 86_400_000;

describe('the meter while it is off', () => {
  it('says so, and refuses probes and grants', async () => {
    const forum = await startForum();
    try {
      const { body } = await new TestAgent(forum.url).anonymous('GET', '/v1/meter');
      assert.equal(body.enabled, false);
      assert.equal(body.receiptSigningPublicKey, null);
      const agent = await forum.agent();
      const probed = await probe(forum, agent);
      assert.deepEqual([probed.status, probed.body], [503, { error: 'meter_disabled' }]);
      const granted = await forum.operator.post('/v1/meter/grants', grantBody(forum, agent.agentId));
      assert.deepEqual([granted.status, granted.body], [503, { error: 'meter_disabled' }]);
      assert.equal((await agent.post('/v1/meter/grants', grantBody(forum, agent.agentId))).status, 403);
      assert.deepEqual((await agent.get('/v1/meter/receipts')).body, { results: [] });
    } finally {
      await forum.stop();
    }
  });
});

describe('meter.read and meter.grant', () => {
  let meter: MeterForum;
  before(async () => {
    meter = await startMeter({ env: { METER_DAILY_TOKENS: '100000' }, workers: false });
  });
  after(() => meter.stop());

  it('shows the configuration, with a fixture that has the hash', async () => {
    const { status, body } = await new TestAgent(meter.forum.url).anonymous('GET', '/v1/meter');
    assert.equal(status, 200);
    const { fixture, receiptSigningPublicKey, ...rest } = body;
    assert.deepEqual(rest, {
      enabled: true,
      model: MODEL,
      fixtureHash: createHash('sha256').update(fixture).digest('hex'),
      admission: 'estimated-token-target-not-spend-cap',
      inferenceAttemptLimit: 2,
      extraCountRequestLimit: 1,
    });
    assert.match(receiptSigningPublicKey, /^[A-Za-z0-9_-]{43}$/);
  });

  it('ships the fixture that receipts of this version name', () => {
    assert.equal(FIXTURE_HASH, 'c947253d65490953325854702c4a4d65ccc43e27160c3d34f804d5fa0aac2ce6');
  });

  it('grants once an agent and day', async () => {
    const { forum } = meter;
    const agent = await forum.agent();
    const body = grantBody(forum, agent.agentId, { tokenAllowance: 1 });
    const first = await forum.operator.post('/v1/meter/grants', body);
    assert.equal(first.status, 201);
    assert.deepEqual({ ...first.body.grant, grantedAt: undefined }, { ...body, grantedAt: undefined });
    const second = await forum.operator.post('/v1/meter/grants', body);
    assert.deepEqual([second.status, second.body], [409, { error: 'grant_unavailable' }]);
    const [day] = await forum.rows<{ reserved_tokens: string }>('SELECT reserved_tokens FROM meter_days');
    assert.equal(day!.reserved_tokens, '1', 'a refused grant reserves nothing');
    forum.advance(DAY_MS);
    try {
      const next = await forum.operator.post('/v1/meter/grants', { ...body, day: today(forum) });
      assert.equal(next.status, 201);
    } finally {
      forum.advance(-DAY_MS);
    }
  });

  it('returns the receipt of a grant by its nonce', async () => {
    const { forum } = meter;
    const agent = await forum.agent();
    const nonce = Buffer.alloc(16, 7).toString('base64url');
    const body = grantBody(forum, agent.agentId, { tokenAllowance: 1 });
    const granted = await forum.operator.signed('POST', '/v1/meter/grants', { body, nonce });
    const write = await forum.operator.get(`/v1/writes/${nonce}`);
    assert.deepEqual(write.body.receipt, granted.body);
  });

  it('refuses what does not fit, naming the field', async () => {
    const { forum } = meter;
    const { agentId } = await forum.agent();
    const tomorrow = new Date(forum.api.clock.now() + DAY_MS).toISOString().slice(0, 10);
    const cases: [object, string][] = [
      [{ agentId: 'somebody' }, 'agentId'],
      [{ day: tomorrow }, 'day'],
      [{ day: '2026-02-30' }, 'day'],
      [{ day: `${today(forum)}T00:00:00Z` }, 'day'],
      [{ tokenAllowance: 0 }, 'tokenAllowance'],
      [{ tokenAllowance: 20_001 }, 'tokenAllowance'],
      [{ tokenAllowance: 1.5 }, 'tokenAllowance'],
      [{ tokenAllowance: '5' }, 'tokenAllowance'],
      [{ model: 'another-model' }, 'model'],
      [{ fixtureHash: '0'.repeat(64) }, 'fixtureHash'],
      [{ fixtureHash: FIXTURE_HASH.toUpperCase() }, 'fixtureHash'],
      [{ more: 1 }, 'more'],
    ];
    for (const [change, field] of cases) {
      const { status, body } = await forum.operator.post('/v1/meter/grants', grantBody(forum, agentId, change));
      assert.deepEqual([status, body], [400, { error: 'invalid_request', field }]);
    }
    const unknown = grantBody(forum, `ag1-${'A'.repeat(22)}`);
    assert.equal((await forum.operator.post('/v1/meter/grants', unknown)).status, 404);
    const agent = await forum.agent();
    assert.equal((await agent.post('/v1/meter/grants', grantBody(forum, agentId))).status, 403);
    assert.equal((await agent.anonymous('POST', '/v1/meter/grants', { body: grantBody(forum, agentId) })).status, 401);
  });

  it('refuses probes without a fitting grant', async () => {
    const { forum } = meter;
    const agent = await forum.agent();
    const none = await probe(forum, agent);
    assert.deepEqual([none.status, none.body], [409, { error: 'grant_unavailable' }]);
    for (const [body, field] of [
      [{}, 'day'],
      [{ day: '2020-01-01' }, 'day'],
      [{ day: today(forum), task: 'another' }, 'task'],
      [{ day: today(forum), agentId: agent.agentId }, 'agentId'],
    ] as const) {
      const refused = await agent.post('/v1/meter/probe', body);
      assert.deepEqual([refused.status, refused.body], [400, { error: 'invalid_request', field }]);
    }
    const anonymous = await agent.anonymous('POST', '/v1/meter/probe', { body: { day: today(forum) } });
    assert.equal(anonymous.status, 401);
    const granted = await grantedAgent(forum, 1);
    await forum.rows('UPDATE meter_grants SET model = $2 WHERE agent_id = $1', [granted.agentId, 'withdrawn-model']);
    assert.equal((await probe(forum, granted)).status, 409);
    assert.deepEqual(await forum.rows('SELECT 1 FROM meter_runs'), []);
  });

  it("never grants more than the day's budget, also for concurrent requests for the last tokens", async () => {
    const { forum } = meter;
    const [day] = await forum.rows<{ left: number }>(
      'SELECT 100000 - reserved_tokens::integer AS left FROM meter_days WHERE day = $1',
      [today(forum)],
    );
    const agents = await Promise.all(Array.from({ length: 20 }, () => forum.agent()));
    const answers = await Promise.all(
      agents.map(({ agentId }) =>
        forum.operator.post('/v1/meter/grants', grantBody(forum, agentId, { tokenAllowance: 9_000 })),
      ),
    );
    const fitting = Math.floor(day!.left / 9_000);
    assert.equal(answers.filter(({ status }) => status === 201).length, fitting);
    assert.equal(answers.filter(({ body }) => body.error === 'grant_unavailable').length, 20 - fitting);
    const [sums] = await forum.rows<{ granted: string; reserved: string }>(
      `SELECT (SELECT sum(token_allowance) FROM meter_grants WHERE day = $1) AS granted,
              (SELECT reserved_tokens FROM meter_days WHERE day = $1) AS reserved`,
      [today(forum)],
    );
    assert.equal(sums!.granted, sums!.reserved);
    assert.ok(Number(sums!.reserved) <= 100_000);
  });
});
