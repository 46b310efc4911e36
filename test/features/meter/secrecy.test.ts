import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { FIXTURE_HASH } from '../../../src/features/meter/fixture.ts';
import type { Answer, TestAgent } from '../../support/agent.ts';
import { TestAgent as Agent } from '../../support/agent.ts';
import { createDatabase, redisForTest, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/waits.ts';
import { MODEL, meterEnv, SIGNING_SEED, VENDOR_KEY } from './support/meter.ts';
import { type ServiceProcess, startProcess } from './support/processes.ts';
import { type Fault, TestVendor } from './support/vendor.ts';

const FAULTS: readonly (Fault | undefined)[] = [
  undefined,
  { status: 401 },
  { status: 429 },
  { status: 529 },
  'cut off',
  'no JSON',
  'broken JSON',
  'no usage',
  'key in usage',
  'redirect',
];

/** Real processes, everything logged, a vendor that repeats the key wherever it can. */
describe('the vendor key', () => {
  let vendor: TestVendor;
  let database: TestDatabase;
  let redisUrl: string;
  let api: ServiceProcess | undefined;
  let worker: ServiceProcess | undefined;
  let operator: TestAgent;
  const answers: string[] = [];

  before(async function () {
    this.timeout(40_000);
    vendor = await TestVendor.start();
    database = await createDatabase();
    redisUrl = (await redisForTest()).url;
    const seed = randomBytes(32);
    const env = {
      ...meterEnv(vendor),
      DATABASE_URL: database.url,
      REDIS_URL: redisUrl,
      PORT: '0',
      OPS_PORT: '0',
      LOG_LEVEL: 'trace',
      METER_WAIT_SECONDS: '4',
      LIMIT_REGISTRATIONS_PER_ADDRESS: '0',
      OPERATOR_AGENT_ID: new Agent('', Date.now, seed).agentId,
    };
    worker = await startProcess('workers/main.js', env);
    api = await startProcess('src/main.js', env);
    operator = await new Agent(api.url, Date.now, seed).register('operator');
  });
  after(async () => {
    // Ended already unless the test failed.
    await Promise.all([api?.kill(), worker?.kill()]);
    await database.drop();
    await vendor.stop();
  });

  const keep = ({ status, body, headers }: Answer): Answer => {
    answers.push(JSON.stringify([status, body, [...headers]]));
    return { status, body, headers };
  };

  async function probeWith(fault: Fault | undefined, index: number): Promise<string> {
    vendor.reset();
    vendor.fault = () => fault;
    const agent = await new Agent(api!.url).register(`agent-${index}`);
    const day = new Date().toISOString().slice(0, 10);
    const grant = { agentId: agent.agentId, day, tokenAllowance: 20_000, model: MODEL, fixtureHash: FIXTURE_HASH };
    keep(await operator.post('/v1/meter/grants', grant));
    const task = index % 2 === 0 ? 'cache_double_probe' : 'loop_cost_curve';
    const { body } = keep(await agent.post('/v1/meter/probe', { day, task }));
    assert.equal(vendor.requests[0]!.headers.authorization, `Bearer ${VENDOR_KEY}`, 'the vendor did get the key');
    keep(await agent.get(`/v1/meter/receipts/${body.runId}`));
    keep(await agent.post('/v1/meter/probe', { day }));
    return body.receipt.status;
  }

  it('is in no answer, log line, job, key or table', async function () {
    this.timeout(40_000);
    const statuses: string[] = [];
    for (const [index, fault] of FAULTS.entries()) statuses.push(await probeWith(fault, index));
    assert.deepEqual(statuses, ['completed', ...Array.from({ length: FAULTS.length - 1 }, () => 'failed')]);
    for (const path of ['/v1/meter', '/v1/meter/receipts', '/routes.json', '/v1/nowhere', '/v1/agents']) {
      keep(await operator.anonymous('GET', path));
    }

    // A fault of the database's in the middle of a run: its error is logged, its job kept as failed.
    await database.pool.query('ALTER TABLE meter_runs ADD CHECK (length(progress) < 150) NOT VALID');
    vendor.reset();
    const agent = await new Agent(api!.url).register('agent-late');
    const day = new Date().toISOString().slice(0, 10);
    const grant = { agentId: agent.agentId, day, tokenAllowance: 20_000, model: MODEL, fixtureHash: FIXTURE_HASH };
    await operator.post('/v1/meter/grants', grant);
    void agent.post('/v1/meter/probe', { day }).then(keep, () => {});
    const redis = new Redis(redisUrl);
    await eventually(async () => (await redis.keys('*')).some((key) => key.endsWith(':failed')));
    const inRedis = await everythingIn(redis);
    redis.disconnect();
    await Promise.all([api!.stop(), worker!.stop()]);

    const places = {
      answers: answers.join('\n'),
      api: api!.output(),
      worker: worker!.output(),
      redis: inRedis,
      tables: await everyTable(database),
    };
    assert.match(places.worker, /job failed/);
    assert.match(places.api, /meter\.probe/);
    assert.match(places.redis, /meter\.probe/);
    assert.match(places.tables, /mrun_/);
    for (const [place, text] of Object.entries(places)) {
      assert.ok(!text.includes(VENDOR_KEY), `the vendor key is in: ${place}`);
      assert.ok(!text.includes(VENDOR_KEY.slice(3, 23)), `a part of the vendor key is in: ${place}`);
      assert.ok(!text.includes(SIGNING_SEED), `the receipt signing key is in: ${place}`);
    }
  });
});

async function everyTable(database: TestDatabase): Promise<string> {
  const { rows: tables } = await database.pool.query<{ name: string }>(
    "SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public'",
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await database.pool.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
    texts.push(...rows.map(({ row }) => row));
  }
  return texts.join('\n');
}

/** Every key with its value, whatever its type, as Redis itself serialises none of it: read by type. */
async function everythingIn(redis: Redis): Promise<string> {
  const readers: Record<string, (key: string) => Promise<unknown>> = {
    string: (key) => redis.get(key),
    hash: (key) => redis.hgetall(key),
    list: (key) => redis.lrange(key, 0, -1),
    set: (key) => redis.smembers(key),
    zset: (key) => redis.zrange(key, '0', '-1'),
    stream: (key) => redis.xrange(key, '-', '+'),
  };
  const texts: string[] = [];
  for (const key of await redis.keys('*')) {
    const type = await redis.type(key);
    texts.push(JSON.stringify([key, await readers[type]?.(key)]));
  }
  return texts.join('\n');
}
