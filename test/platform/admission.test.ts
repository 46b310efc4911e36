import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import {
  type Admission,
  AdmissionStore,
  CLOCK_TOLERANCE_SECONDS,
  WINDOW_SECONDS,
  WRITE_DEADLINE_MS,
} from '../../src/platform/redis/admission.ts';
import { connectRedis, type RedisConnection, requireRedis } from '../../src/platform/redis/redis.ts';
import { Together } from '../../src/platform/together.ts';
import { redisForTest } from '../support/database.ts';

const LIMIT = 30;
const COUNTERS = ['posts', 'votes'];

describe('admissions that come together', () => {
  let redis: RedisConnection;
  let store: AdmissionStore;
  const deployment = randomBytes(6).toString('hex');
  before(async () => {
    redis = connectRedis({ redisUrl: (await redisForTest()).url, redisClusterNodes: undefined }, 'admission');
    await requireRedis(redis, 5_000);
    store = new AdmissionStore(redis, deployment);
  });
  after(() => redis.disconnect());

  const random = () => randomBytes(16).toString('base64url');
  const nowMs = Date.now();
  const request = (
    agentId: string,
    more: { nonce?: string; requestId?: string; name?: string; limit?: number } = {},
  ) => {
    const { nonce = random(), requestId = random(), name = 'posts', limit = LIMIT } = more;
    return { agentId, nonce, requestId, nowMs, counter: { name, limit }, spend: true, reserve: true };
  };
  /** An agent whose counters are loaded, with no charge. */
  async function loaded(): Promise<string> {
    const agentId = `ag1-${random()}`;
    const first = await store.admit(request(agentId));
    assert.ok(first.result === 'load');
    await store.install(agentId, first.runId, { fence: 1, charges: {} }, nowMs, COUNTERS);
    return agentId;
  }
  /** How many charges of posts an agent has. */
  async function used(agentId: string): Promise<number | undefined> {
    const found = await store.peek(agentId, COUNTERS, nowMs);
    return found.result === 'counters' ? found.counters[0]!.used : undefined;
  }
  /** How many scripts are sent while something is done; other tests use the same Redis. */
  async function scriptsDuring(work: () => Promise<unknown>): Promise<number> {
    const sending = redis as unknown as { sendCommand(command: { name: string }, ...rest: unknown[]): unknown };
    const { sendCommand } = sending;
    let count = 0;
    sending.sendCommand = (command, ...rest) => {
      if (/^eval/.test(command.name)) count += 1;
      return sendCommand.call(redis, command, ...rest);
    };
    await work();
    sending.sendCommand = sendCommand;
    return count;
  }

  it('share a call, and each is answered in its place', async () => {
    const agents = await Promise.all(Array.from({ length: 20 }, loaded));
    const limits = agents.map((_, index) => index % 2);
    let answers: Admission[] = [];
    const scripts = await scriptsDuring(async () => {
      answers = await Promise.all(
        agents.map((agentId, index) => store.admit(request(agentId, { limit: limits[index]! }))),
      );
    });
    assert.equal(scripts, 1);
    assert.deepEqual(
      answers.map((answer) => answer.result === 'admitted' && answer.reserved),
      limits.map((limit) => limit === 1),
    );
  });

  it('of one agent pass no limit, however many there are', async () => {
    const agentId = await loaded();
    const answers = await Promise.all(Array.from({ length: 4 * LIMIT }, () => store.admit(request(agentId))));
    const reserved = answers.filter((answer) => answer.result === 'admitted' && answer.reserved);
    assert.equal(reserved.length, LIMIT);
    const used = reserved.map((answer) => answer.result === 'admitted' && answer.counter.used);
    assert.deepEqual(
      used,
      Array.from({ length: LIMIT }, (_, index) => index + 1),
    );
  });

  it('spend a nonce once, whoever else has it in the same call', async () => {
    const [agentId, other] = [await loaded(), await loaded()];
    const nonce = random();
    const [mine, again, others] = await Promise.all([
      store.admit(request(agentId, { nonce })),
      store.admit(request(agentId, { nonce })),
      store.admit(request(other, { nonce })),
    ]);
    assert.deepEqual([mine.result, again.result, others.result], ['admitted', 'replay', 'admitted']);
  });

  it('keep a nonce for longer than its timestamp is accepted, and a charge for longer than it counts', async () => {
    const agentId = await loaded();
    const nonce = random();
    await store.admit(request(agentId, { nonce }));
    const secondsLeft = (...key: string[]) => redis.ttl(['forum', deployment, `{${agentId}}`, ...key].join(':'));
    assert.ok((await secondsLeft('nonce', nonce)) > 2 * CLOCK_TOLERANCE_SECONDS + 1);
    assert.ok((await secondsLeft('log', 'posts')) > WINDOW_SECONDS);
  });

  it('know who has to be loaded from who has not', async () => {
    const known = await loaded();
    const answers = await Promise.all(
      [known, `ag1-${random()}`, known].map((agentId) => store.admit(request(agentId))),
    );
    assert.deepEqual(
      answers.map(({ result }) => result),
      ['admitted', 'load', 'admitted'],
    );
  });

  it('give no charge back that another request made under the same nonce', async () => {
    const agentId = await loaded();
    const first = request(agentId);
    await store.admit(first);
    await store.giveBack({ agentId, counter: 'posts', nonce: first.nonce, requestId: random() });
    assert.equal(await used(agentId), 1);
    await store.giveBack({ agentId, counter: 'posts', nonce: first.nonce, requestId: first.requestId });
    assert.equal(await used(agentId), 0);
  });

  it('refuse a nonce whose write is known from its receipt, and give that charge back to nobody', async () => {
    const agentId = `ag1-${random()}`;
    const replayed = request(agentId);
    const first = await store.admit(replayed);
    assert.ok(first.result === 'load');
    const charges = { posts: [{ nonce: replayed.nonce, atMs: nowMs }] };
    await store.install(agentId, first.runId, { fence: 1, charges }, nowMs, COUNTERS);
    assert.equal((await store.admit(replayed)).result, 'replay');
    const { nonce, requestId } = replayed;
    await store.giveBack({ agentId, counter: 'posts', nonce, requestId });
    assert.equal(await used(agentId), 1);
  });

  it('are answered again what they were, when a command came twice', async () => {
    const agentId = await loaded();
    const twice = request(agentId);
    const [once, again] = [await store.admit(twice), await store.admit(twice)];
    assert.deepEqual(again, once);
    assert.equal(await used(agentId), 1);
  });

  it('keep what a newer load has read, and nothing that was read for another run', async () => {
    const agentId = `ag1-${random()}`;
    const first = await store.admit(request(agentId));
    assert.ok(first.result === 'load');
    const load = (runId: string, fence: number, count: number) => {
      const posts = Array.from({ length: count }, () => ({ nonce: random(), atMs: nowMs }));
      return store.install(agentId, runId, { fence, charges: { posts } }, nowMs, COUNTERS);
    };
    await load('another-run', 9, 9);
    assert.equal((await store.peek(agentId, COUNTERS, nowMs)).result, 'load');
    await load(first.runId, 2, 2);
    await load(first.runId, 1, 1);
    const found = await store.peek(agentId, COUNTERS, nowMs);
    assert.ok(found.result === 'counters');
    assert.deepEqual([found.fence, await used(agentId)], [2, 2]);
    const outdated = { ...request(agentId), outdatedFence: 2 };
    assert.equal((await store.admit(outdated)).result, 'load');
    assert.equal((await store.admit({ ...outdated, outdatedFence: 1 })).result, 'admitted');
  });

  it('vouch for nothing that was loaded anew meanwhile', async () => {
    const agentId = await loaded();
    const laterMs = nowMs + 2 * WRITE_DEADLINE_MS;
    await store.admit(request(agentId));
    const found = await store.peek(agentId, COUNTERS, laterMs);
    assert.ok(found.result === 'counters' && found.doubtful);
    const charges = { posts: [{ nonce: random(), atMs: nowMs }] };
    await store.install(agentId, found.runId, { fence: 2, charges }, nowMs, COUNTERS);
    await store.vouch(agentId, found, laterMs);
    const after = await store.peek(agentId, COUNTERS, laterMs);
    assert.ok(after.result === 'counters' && after.doubtful);
    await store.vouch(agentId, after, laterMs);
    const vouched = await store.peek(agentId, COUNTERS, laterMs);
    assert.ok(vouched.result === 'counters' && !vouched.doubtful);
  });

  it('doubt a charge that was made just before a load, which could not know it yet', async () => {
    const agentId = await loaded();
    await store.admit({ ...request(agentId), nowMs: nowMs - 1_000 });
    const laterMs = nowMs + 2 * WRITE_DEADLINE_MS;
    const found = await store.peek(agentId, COUNTERS, laterMs);
    assert.ok(found.result === 'counters' && found.doubtful);
    assert.equal((await store.admit({ ...request(agentId, { limit: 1 }), nowMs: laterMs })).result, 'doubt');
  });

  it('fail alone', async () => {
    const [good, broken] = [await loaded(), await loaded()];
    await redis.set(`forum:${deployment}:{${broken}}:log:votes`, 'no log');
    const [first, failed, last] = await Promise.allSettled([
      store.admit(request(good)),
      store.admit(request(broken, { name: 'votes' })),
      store.admit(request(good)),
    ]);
    assert.deepEqual([first.status, failed.status, last.status], ['fulfilled', 'rejected', 'fulfilled']);
    assert.match(String((failed as PromiseRejectedResult).reason), /WRONGTYPE/);
  });
});

describe('questions asked together', () => {
  it('are no more than so many, and the next wait for those before', async () => {
    const sizes: number[] = [];
    const together = new Together<number, number>(
      async (questions) => {
        sizes.push(questions.length);
        await sleep(10);
        return questions;
      },
      { most: 3 },
    );
    const first = [1, 2, 3, 4].map((question) => together.ask(question));
    await nextTurn();
    const next = [5, 6].map((question) => together.ask(question));
    assert.deepEqual(await Promise.all([...first, ...next]), [1, 2, 3, 4, 5, 6]);
    assert.deepEqual(sizes, [3, 1, 2]);
    assert.equal(await together.ask(7), 7);
  });

  it('wait for those before no longer than they have patience', async () => {
    const pending: (() => void)[] = [];
    const together = new Together<number, number>(
      async (questions) => {
        if (questions.includes(1)) await new Promise<void>((resolve) => pending.push(resolve));
        return questions;
      },
      { most: 3, patienceMs: 5 },
    );
    const stuck = together.ask(1);
    await nextTurn();
    assert.deepEqual(await Promise.all([together.ask(2), together.ask(3)]), [2, 3]);
    assert.equal(await together.ask(4), 4);
    pending[0]!();
    assert.equal(await stuck, 1);
  });

  it('fail together where all came to the same, and are asked again afterwards', async () => {
    let isLost = true;
    const together = new Together<number, number>(
      async (questions) => {
        if (isLost) throw new Error('lost');
        return questions;
      },
      { most: 3 },
    );
    const settled = await Promise.allSettled([together.ask(1), together.ask(2)]);
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    isLost = false;
    assert.equal(await together.ask(3), 3);
  });
});
