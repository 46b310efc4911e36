import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { loadConfig } from '../../src/config.ts';
import { requireRedis } from '../../src/ops/redis.ts';
import {
  AdmissionControl,
  type Charge,
  CLOCK_TOLERANCE_SECONDS,
  WINDOW_SECONDS,
  WRITE_DEADLINE_MS,
} from '../../src/pipeline/admission.ts';
import { connectRedis, type RedisConnection } from '../../src/platform/redis/redis.ts';
import { redisForTest } from '../support/database.ts';

const LIMIT = 30;

describe('AdmissionControl', () => {
  let redis: RedisConnection;
  let admission: AdmissionControl;
  const deployment = randomBytes(6).toString('hex');
  before(async () => {
    redis = connectRedis({ redisUrl: (await redisForTest()).url, redisClusterNodes: undefined }, 'admission');
    await requireRedis(redis, 5_000);
    const db = { query: () => Promise.reject(new Error('nothing is loaded from the database here')) };
    const config = loadConfig({ DATABASE_URL: 'postgres://unused', REDIS_URL: 'redis://unused' });
    admission = new AdmissionControl(redis, deployment, db, config);
  });
  after(() => redis.disconnect());

  const random = () => randomBytes(16).toString('base64url');
  const newAgentId = () => `ag1-${random()}`;
  const nowMs = Date.now();
  const request = (agentId: string, change: { nonce?: string; nowMs?: number; outdatedFence?: number } = {}) => ({
    agentId,
    nonce: random(),
    requestId: random(),
    nowMs,
    counter: 'posts' as const,
    spend: true,
    reserve: true,
    ...change,
  });
  const admit = (agentId: string, change: Parameters<typeof request>[1] = {}, limit = LIMIT) =>
    admission.tryAdmit(request(agentId, change), limit);
  const charge = (): Charge => ({ counter: 'posts', nonce: random(), atMs: nowMs });

  async function runId(): Promise<string> {
    const missing = await admit(newAgentId());
    assert.ok(missing.result === 'load');
    return missing.runId;
  }
  async function load(agentId: string, fence: number, charges: readonly Charge[], atMs = nowMs): Promise<void> {
    await admission.storeLoad({ agentId, runId: await runId(), fence, nowMs: atMs, charges });
  }
  async function loaded(): Promise<string> {
    const agentId = newAgentId();
    await load(agentId, 1, []);
    return agentId;
  }
  /** How many allowances of posts are reserved or charged. */
  async function used(agentId: string): Promise<number> {
    const preview = await admission.tryAdmit({ ...request(agentId), spend: false, reserve: false }, LIMIT);
    assert.ok(preview.result === 'admitted');
    return preview.counter.used;
  }

  it('reserves exactly the limit for simultaneous writes of one agent', async () => {
    const agentId = await loaded();
    const admissions = await Promise.all(Array.from({ length: 4 * LIMIT }, () => admit(agentId)));
    const reserved = admissions.flatMap((each) => (each.result === 'admitted' && each.reserved ? [each.counter] : []));
    assert.deepEqual(
      reserved.map((state) => state.used),
      Array.from({ length: LIMIT }, (_, index) => index + 1),
    );
  });

  it('accepts a nonce once for each agent', async () => {
    const [agentId, other] = [await loaded(), await loaded()];
    const nonce = random();
    const admissions = await Promise.all([agentId, agentId, other].map((each) => admit(each, { nonce })));
    assert.deepEqual(
      admissions.map(({ result }) => result),
      ['admitted', 'replay', 'admitted'],
    );
    assert.equal(await admission.spendNonce(agentId, nonce, random()), false);
  });

  it('accepts the nonce of a read once, without counters', async () => {
    const [agentId, nonce, requestId] = [newAgentId(), random(), random()];
    assert.equal(await admission.spendNonce(agentId, nonce, requestId), true);
    assert.equal(await admission.spendNonce(agentId, nonce, requestId), true, 'a command that the client sent twice');
    assert.equal(await admission.spendNonce(agentId, nonce, random()), false);
  });

  it('keeps a nonce longer than its timestamp is valid, and a reservation longer than the window', async () => {
    const agentId = await loaded();
    const nonce = random();
    await admit(agentId, { nonce });
    const secondsLeft = (...key: string[]) => redis.ttl(['forum', deployment, `{${agentId}}`, ...key].join(':'));
    assert.ok((await secondsLeft('nonce', nonce)) > 2 * CLOCK_TOLERANCE_SECONDS + 1);
    assert.ok((await secondsLeft('reservations', 'posts')) > WINDOW_SECONDS);
  });

  it('removes only the reservation of the refunded request', async () => {
    const agentId = await loaded();
    const first = request(agentId);
    await admission.tryAdmit(first, LIMIT);
    await admission.refund(agentId, 'posts', random());
    assert.equal(await used(agentId), 1);
    await admission.refund(agentId, 'posts', first.requestId);
    assert.equal(await used(agentId), 0);
  });

  it('keeps a loaded charge when a replay of its write is refunded', async () => {
    const agentId = newAgentId();
    const replay = request(agentId);
    await load(agentId, 1, [{ ...charge(), nonce: replay.nonce }]);
    await admission.tryAdmit(replay, LIMIT);
    await admission.refund(agentId, 'posts', replay.requestId);
    assert.equal(await used(agentId), 1);
  });

  it('answers a command that was sent twice alike, and reserves once', async () => {
    const agentId = await loaded();
    const twice = request(agentId);
    const first = await admission.tryAdmit(twice, 1);
    assert.deepEqual(await admission.tryAdmit(twice, 1), first);
    assert.equal(await used(agentId), 1);
  });

  it('requires a load for an unknown agent, an expired state and a rejected fencing token', async () => {
    assert.equal((await admit(newAgentId())).result, 'load');
    const agentId = newAgentId();
    await load(agentId, 2, []);
    assert.equal((await admit(agentId, { outdatedFence: 2 })).result, 'load');
    assert.equal((await admit(agentId, { outdatedFence: 1 })).result, 'admitted');
    const state = `forum:${deployment}:{${agentId}}:state`;
    const secondsLeft = await redis.ttl(state);
    assert.ok(secondsLeft > 3_500 && secondsLeft <= 3_600);
    await redis.del(state);
    assert.equal((await admit(agentId)).result, 'load');
  });

  it('ignores a load for another server process, an older one, and one that is stored twice', async () => {
    const agentId = newAgentId();
    await admission.storeLoad({ agentId, runId: 'another', fence: 9, nowMs, charges: [charge()] });
    assert.equal((await admit(agentId)).result, 'load');
    await load(agentId, 2, [charge(), charge()]);
    await load(agentId, 1, [charge()]);
    assert.equal(await used(agentId), 2);
    await admit(agentId);
    await load(agentId, 2, [charge(), charge()]);
    assert.equal(await used(agentId), 3);
    // A promoted replica of PostgreSQL can draw a fencing token a second time.
    await load(agentId, 2, [charge()], nowMs + 1);
    assert.equal(await used(agentId), 1);
  });

  it('loads charges of known counters only', async () => {
    const agentId = newAgentId();
    await load(agentId, 1, [charge(), { ...charge(), counter: 'unknown' }, { ...charge(), counter: 'votes' }]);
    assert.equal(await used(agentId), 1);
  });

  it('requires a load when a full counter has undecided reservations', async () => {
    const agentId = await loaded();
    const laterMs = nowMs + WRITE_DEADLINE_MS + 1_000;
    // This request arrived before the load, which cannot have seen its write.
    await admit(agentId, { nowMs: nowMs - 500 }, 1);
    const early = await admit(agentId, {}, 1);
    assert.deepEqual([early.result, early.result === 'admitted' && early.reserved], ['admitted', false]);
    assert.equal((await admit(agentId, { nowMs: laterMs }, 1)).result, 'load');
    await load(agentId, 2, [charge()], laterMs);
    const late = await admit(agentId, { nowMs: laterMs }, 1);
    assert.deepEqual([late.result, late.result === 'admitted' && late.reserved], ['admitted', false]);
  });

  it('fails no other admission of the same pipeline', async () => {
    const [good, broken] = [await loaded(), await loaded()];
    await redis.set(`forum:${deployment}:{${broken}}:reservations:posts`, 'a string');
    const [first, failed, last] = await Promise.allSettled([admit(good), admit(broken), admit(good)]);
    assert.deepEqual([first.status, failed.status, last.status], ['fulfilled', 'rejected', 'fulfilled']);
    assert.match(String((failed as PromiseRejectedResult).reason), /WRONGTYPE/);
  });
});
