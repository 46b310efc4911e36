import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { FIXTURE, FIXTURE_HASH } from '../../../src/features/meter/fixture.ts';
import { meterOverview } from '../../../src/features/meter/service.ts';
import type { Context } from '../../../src/operation/operation.ts';
import type { TestAgent } from '../../support/agent.ts';
import { together } from '../../support/together.ts';
import { eventually } from '../../support/waits.ts';
import { grantedAgent, type MeterForum, MODEL, probe, signatureHolds, startMeter, today } from './support/meter.ts';
import type { Fault, Kind } from './support/vendor.ts';

const RUN_ID = /^mrun_[a-z0-9]{25}$/;
const FIXTURE_TOKENS = Math.ceil(FIXTURE.length / 4);

describe('meter.probe', () => {
  let meter: MeterForum;
  /** For the test that waits beside the others. */
  let slow: MeterForum;
  before(async () => {
    [meter, slow] = [await startMeter(), await startMeter()];
  });
  beforeEach(() => meter.vendor.reset());
  after(() => Promise.all([meter.stop(), slow.stop()]));

  it('cache_double_probe counts once and asks twice; the receipt is signed and to be read everywhere', async () => {
    const { forum, vendor } = meter;
    const agent = await grantedAgent(forum);
    const nonce = Buffer.alloc(16, 1).toString('base64url');
    const { status, body } = await agent.signed('POST', '/v1/meter/probe', { nonce, body: { day: today(forum) } });
    assert.equal(status, 201);
    const { runId, receipt, links } = body;
    assert.match(runId, RUN_ID);
    assert.equal(links.self, `/v1/meter/receipts/${runId}`);
    assert.deepEqual([vendor.count('count'), vendor.count('inference')], [1, 2]);

    const [count, first, second] = vendor.requests;
    assert.equal(count!.kind, 'count');
    assert.deepEqual(first!.body, second!.body);
    assert.deepEqual(count!.body.system, first!.body.system);
    assert.deepEqual(first!.body.system.at(-1), {
      type: 'text',
      text: FIXTURE,
      cache_control: { type: 'ephemeral' },
    });

    const [writing, reading] = receipt.attempts;
    assert.ok(writing.usage.cache_creation_input_tokens >= FIXTURE_TOKENS);
    assert.equal(writing.usage.cache_read_input_tokens, 0);
    assert.equal(reading.usage.cache_read_input_tokens, writing.usage.cache_creation_input_tokens);
    assert.equal(reading.usage.service_tier, 'standard', 'verbatim, strings and nested counters too');
    assert.deepEqual(reading.usage.cache_creation, { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 });
    const { attempts, countRequest, estimatedTokens, mintedAt, ...rest } = receipt;
    assert.deepEqual(rest, {
      format: 'svc-meter-receipt-v1',
      runId,
      agentId: agent.agentId,
      day: today(forum),
      task: 'cache_double_probe',
      model: MODEL,
      fixtureHash: FIXTURE_HASH,
      tokenAllowance: 20_000,
      status: 'completed',
      independentVerification: true,
    });
    assert.deepEqual(
      attempts.map(({ ordinal }: { ordinal: number }) => ordinal),
      [1, 2],
    );
    assert.equal(estimatedTokens, 2 * (countRequest.usage.input_tokens + 16));
    assert.ok(attempts[1].finishedAt <= mintedAt);
    assert.ok(signatureHolds(body));
    assert.ok(!signatureHolds({ ...body, receipt: { ...receipt, tokenAllowance: 19_999 } }));

    const row = { ...body };
    delete row.links;
    assert.deepEqual((await agent.anonymous('GET', links.self)).body, row);
    const dayQuery = `agentId=${agent.agentId}&day=${today(forum)}`;
    assert.deepEqual((await agent.anonymous('GET', '/v1/meter/receipts', { query: dayQuery })).body, row);
    const write = await agent.get(`/v1/writes/${nonce}`);
    assert.deepEqual(write.body.receipt, body);
    const { config, db } = forum.api.services;
    assert.deepEqual(await meterOverview({ config, db } as unknown as Context, agent.agentId), {
      receiptCount: 1,
      latestRunId: runId,
    });
    const off = { ...config, meter: { ...config.meter, enabled: false } };
    assert.deepEqual(await meterOverview({ config: off, db } as unknown as Context, agent.agentId), {
      receiptCount: 0,
      latestRunId: null,
    });
  });

  it('loop_cost_curve extends one conversation', async () => {
    const { forum, vendor } = meter;
    const { body } = await probe(forum, await grantedAgent(forum), 'loop_cost_curve');
    assert.equal(body.receipt.status, 'completed');
    assert.equal(body.receipt.countRequest, null);
    const [first, second] = vendor.requests.map((request) => request.body);
    assert.equal(vendor.requests.length, 2);
    assert.deepEqual(second!.system, first!.system);
    assert.deepEqual(second!.messages[0], first!.messages[0]);
    assert.deepEqual(
      second!.messages.map(({ role }) => role),
      ['user', 'assistant', 'user'],
    );
    assert.equal(second!.messages[1]!.content, '180', 'what the vendor answered');
    const [one, two] = body.receipt.attempts;
    assert.ok(two.usage.input_tokens > one.usage.input_tokens);
  });

  it('invalidator_matrix changes one byte before the cache mark', async () => {
    const { forum, vendor } = meter;
    const { body } = await probe(forum, await grantedAgent(forum), 'invalidator_matrix');
    assert.equal(body.receipt.status, 'completed');
    const [before, changed] = vendor.requests.map((request) => Buffer.from(request.body.system.at(-1)!.text));
    assert.equal(before!.length, changed!.length);
    assert.equal(before!.filter((byte, index) => byte !== changed![index]).length, 1);
    assert.ok(vendor.requests.every((request) => request.body.system.at(-1)!.cache_control));
    const [one, two] = body.receipt.attempts;
    assert.ok(one.usage.cache_creation_input_tokens > 0);
    assert.deepEqual(two.usage, one.usage, 'nothing was read from the cache');
  });

  it('runs once for twenty probes at once on one grant', async () => {
    const { forum, vendor } = meter;
    const agent = await grantedAgent(forum);
    const answers = await Promise.all(Array.from({ length: 20 }, () => probe(forum, agent)));
    const made = answers.filter(({ status }) => status === 201);
    assert.equal(made.length, 1);
    const refused = answers.filter(({ status, body }) => status === 409 && body.error === 'grant_unavailable');
    assert.equal(refused.length, 19);
    assert.deepEqual([vendor.count('count'), vendor.count('inference')], [1, 2]);
    const runs = await forum.rows('SELECT 1 FROM meter_runs WHERE agent_id = $1', [agent.agentId]);
    assert.equal(runs.length, 1);
    assert.equal((await probe(forum, agent)).status, 409, 'the grant stays spent');
  });

  it('refuses before any inference when the estimate is above the allowance', async () => {
    const { forum, vendor } = meter;
    for (const task of ['cache_double_probe', 'loop_cost_curve', 'invalidator_matrix']) {
      const agent = await grantedAgent(forum, 3_000);
      const { status, body } = await probe(forum, agent, task);
      assert.equal(status, 201);
      assert.equal(body.receipt.status, 'refused');
      assert.ok(body.receipt.estimatedTokens > 3_000);
      assert.deepEqual(body.receipt.attempts, []);
      assert.ok(signatureHolds(body));
      assert.equal((await probe(forum, agent, task)).status, 409, 'the grant is spent');
    }
    assert.equal(vendor.count('inference'), 0);
    assert.equal(vendor.count('count'), 1);
  });

  const FAULTS: readonly [name: string, fault: Fault, kind: Kind, earlier: number, error: object][] = [
    ['429 to the count', { status: 429 }, 'count', 0, { reason: 'status', status: 429 }],
    ['429 to the first attempt', { status: 429 }, 'inference', 0, { reason: 'status', status: 429 }],
    ['529 to the second attempt', { status: 529 }, 'inference', 1, { reason: 'status', status: 529 }],
    ['401 to the first attempt', { status: 401 }, 'inference', 0, { reason: 'status', status: 401 }],
    ['an answer cut off', 'cut off', 'inference', 1, { reason: 'connection' }],
    ['no JSON', 'no JSON', 'inference', 0, { reason: 'answer' }],
    ['broken JSON', 'broken JSON', 'inference', 0, { reason: 'answer' }],
    ['no counters', 'no usage', 'inference', 0, { reason: 'answer' }],
    ['no counters in the count', 'no usage', 'count', 0, { reason: 'answer' }],
    ['counters that are none', 'negative usage', 'inference', 0, { reason: 'answer' }],
    ['counters with the key in them', 'key in usage', 'inference', 0, { reason: 'answer' }],
    ['the key in the count', 'key in usage', 'count', 0, { reason: 'answer' }],
    ['an answer that is too long', 'too long', 'inference', 0, { reason: 'answer' }],
    ['a redirect', 'redirect', 'inference', 0, { reason: 'status', status: 307 }],
  ];
  for (const [name, fault, kind, earlier, error] of FAULTS) {
    it(`ends as failed, with nothing tried again, after ${name}`, async () => {
      const { forum, vendor } = meter;
      vendor.fault = (asked, before) => (asked === kind && before === earlier ? fault : undefined);
      const { body } = await probe(forum, await grantedAgent(forum));
      assertFailed(body, kind, earlier, error);
      const inferences = kind === 'count' ? 0 : earlier + 1;
      assert.deepEqual([vendor.count('count'), vendor.count('inference')], [1, inferences]);
    });
  }

  together({
    'waits for a bounded time, also for a body that never ends': async () => {
      const { forum, vendor } = slow;
      const agents = await Promise.all([grantedAgent(forum), grantedAgent(forum)]);
      vendor.fault = (kind) => (kind === 'count' ? 'silence' : 'slow body');
      // What is collected meanwhile takes no limit along.
      const collecting = setInterval(garbageCollector(), 1_000);
      const [silent, endless] = await Promise.all([
        probe(forum, agents[0]!, 'cache_double_probe'),
        probe(forum, agents[1]!, 'loop_cost_curve'),
      ]).finally(() => clearInterval(collecting));
      assertFailed(silent.body, 'count', 0, { reason: 'timeout' });
      assertFailed(endless.body, 'inference', 0, { reason: 'timeout' });
      assert.deepEqual([vendor.count('count'), vendor.count('inference')], [1, 1]);
    },
  });
});

function garbageCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}

function assertFailed(
  { receipt }: { receipt: { status: string; countRequest: { error?: object }; attempts: { error?: object }[] } },
  kind: Kind,
  earlier: number,
  error: object,
): void {
  assert.equal(receipt.status, 'failed');
  const calls = kind === 'count' ? [receipt.countRequest] : receipt.attempts;
  assert.equal(calls.length, earlier + 1);
  assert.deepEqual(calls.at(-1)!.error, error);
  assert.ok(calls.slice(0, -1).every((call) => call.error === undefined));
}

describe('meter.probe that is not waited for', () => {
  let meter: MeterForum;
  before(async () => {
    meter = await startMeter({ env: { METER_WAIT_SECONDS: '0', METER_RECEIPT_SIGNING_KEY: '' } });
  });
  after(() => meter.stop());

  async function receiptOf(agent: TestAgent, runId: string) {
    const path = `/v1/meter/receipts/${runId}`;
    await eventually(async () => (await agent.anonymous('GET', path)).status === 200);
    return (await agent.anonymous('GET', path)).body;
  }

  it('returns 202 with the run, whose receipt comes later, unsigned without a key', async () => {
    const { forum } = meter;
    const agent = await grantedAgent(forum);
    const nonce = Buffer.alloc(16, 2).toString('base64url');
    const { status, body } = await agent.signed('POST', '/v1/meter/probe', { nonce, body: { day: today(forum) } });
    assert.equal(status, 202);
    assert.deepEqual(Object.keys(body).toSorted(), ['links', 'runId']);
    const row = await receiptOf(agent, body.runId);
    assert.equal(row.receipt.status, 'completed');
    assert.equal(row.receipt.independentVerification, false);
    assert.deepEqual([row.receiptSignature, row.receiptSigningPublicKey], [null, null]);
    const write = await agent.get(`/v1/writes/${nonce}`);
    assert.deepEqual(write.body.receipt, { ...row, links: body.links });
    const { body: ledger } = await agent.anonymous('GET', '/v1/meter/receipts');
    assert.deepEqual(ledger.results, [row], 'unsigned rows with a run id are in the ledger');
  });

  it('ends as failed, unsent, when it was asked for with another fixture', async () => {
    const { forum, vendor } = meter;
    vendor.reset();
    const agent = await grantedAgent(forum);
    await forum.rows(`CREATE FUNCTION another_fixture() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN NEW.fixture_hash := repeat('0', 64); RETURN NEW; END $$`);
    await forum.rows(
      'CREATE TRIGGER another_fixture BEFORE INSERT ON meter_runs FOR EACH ROW EXECUTE FUNCTION another_fixture()',
    );
    const { body } = await probe(forum, agent);
    const row = await receiptOf(agent, body.runId);
    assert.equal(row.receipt.status, 'failed');
    assert.deepEqual([row.receipt.attempts, row.receipt.countRequest], [[], null]);
    assert.equal(vendor.requests.length, 0);
  });
});
