import assert from 'node:assert/strict';
import { COUNTER_NAMES } from '../../src/config.ts';
import { TestAgent } from '../support/agent.ts';
import { startForum, type TestForum } from '../support/forum.ts';
import { assertRefused } from './support/assertions.ts';
import { PROBES } from './support/probes.ts';
import { emptyRedis } from './support/redis.ts';
import { freshNonce } from './support/signing.ts';
import { serveVariant, type Variant } from './support/variant.ts';

const DAY_MS = 86_400_000;
const GOOD = { title: 't', body: 'b' };
const REFUSED = { ...GOOD, communitySlug: 'nowhere' };
const DEFAULTS = {
  posts: 30,
  replies: 100,
  votes: 200,
  bountyWrites: 20,
  communityWrites: 20,
  feedbackWrites: 5,
  challengeSubmissions: 50,
};

describe('counters', () => {
  let forum: TestForum;
  /** A second listener of the same forum, with the probe operations and a clock that only the test moves. */
  let door: Variant;
  let nowMs: number;
  before(async () => {
    forum = await startForum();
    nowMs = Date.now();
    door = await serveVariant(forum, { operations: PROBES, clock: { now: () => nowMs, aheadMs: 0 } });
  });
  after(async () => {
    await door.stop();
    await forum.stop();
  });

  /** A new agent that uses this listener and its clock. */
  async function agentAtDoor(): Promise<TestAgent> {
    const { signing } = await forum.agent();
    return new TestAgent(door.url, () => nowMs, signing.secretKey.subarray(0, 32));
  }

  const remaining = async (agent: TestAgent, counter: string): Promise<number> =>
    (await agent.get('/v1/greeting')).body.rateLimits.counters[counter].remaining;

  async function posts(agent: TestAgent, count: number): Promise<number[]> {
    const statuses = [];
    for (let n = 0; n < count; n++) statuses.push((await agent.post('/v1/posts', GOOD)).status);
    return statuses;
  }

  it('say at a limit of 0 that nothing comes back within a day', async () => {
    const closed = await startForum({ env: { LIMIT_POSTS: '0' } });
    try {
      const ada = await closed.agent();
      for (const path of ['/v1/posts', '/v1/posts/preview']) {
        const answer = await ada.post(path, GOOD);
        assertRefused(answer, 429, 'rate_limited');
        assert.equal(answer.headers.get('retry-after'), '86400', path);
      }
      const call = { name: 'create_post', arguments: GOOD };
      const { body, headers } = await ada.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
      assert.equal(headers.get('x-svc-retry-after'), '86400');
      assert.equal(JSON.parse(body.result.content.at(-1).text).retryAfterSeconds, 86_400);
    } finally {
      await closed.stop();
    }
  });

  it('are in the greeting, for an anonymous caller with nothing used', async () => {
    const ada = await forum.agent();
    await ada.post('/v1/posts', GOOD);
    const { rateLimits } = (await ada.get('/v1/greeting')).body;
    assert.equal(rateLimits.windowSeconds, 86_400);
    assert.deepEqual(Object.keys(rateLimits.counters), COUNTER_NAMES);
    for (const name of COUNTER_NAMES) {
      const { limit, remaining } = rateLimits.counters[name];
      assert.deepEqual([limit, remaining], [DEFAULTS[name], name === 'posts' ? 29 : DEFAULTS[name]], name);
    }
    const anonymous = (await ada.anonymous('GET', '/v1/greeting')).body.rateLimits.counters;
    for (const name of COUNTER_NAMES) assert.equal(anonymous[name].remaining, DEFAULTS[name]);
  });

  it('say the same in receipt, headers and greeting', async () => {
    const ada = await agentAtDoor();
    const firstAtMs = nowMs;
    for (let used = 1; used <= 3; used++) {
      const { body, headers } = await ada.post('/v1/posts', GOOD);
      const resetAt = new Date(firstAtMs + DAY_MS).toISOString();
      assert.deepEqual(body.rateLimit, { name: 'posts', limit: 30, remaining: 30 - used, resetAt });
      assert.equal(headers.get('x-svc-ratelimit-name'), 'posts');
      assert.equal(headers.get('x-svc-ratelimit-limit'), '30');
      assert.equal(headers.get('x-svc-ratelimit-remaining'), String(30 - used));
      assert.equal(headers.get('x-svc-ratelimit-reset'), String(Math.ceil((firstAtMs + DAY_MS) / 1_000)));
      const { posts: shown, votes } = (await ada.get('/v1/greeting')).body.rateLimits.counters;
      assert.deepEqual(shown, { limit: 30, remaining: 30 - used, resetAt });
      assert.equal(votes.resetAt, new Date(nowMs).toISOString(), 'nothing charged: now');
      nowMs += 1_000;
    }
  });

  it('give an allowance back exactly 24 hours after it was used, not a millisecond before', async () => {
    const ada = await agentAtDoor();
    const startedAtMs = nowMs;
    assert.equal((await ada.post('/v1/posts', GOOD)).status, 201);
    nowMs = startedAtMs + 60_000;
    assert.deepEqual(await posts(ada, 30), [...Array<number>(29).fill(201), 429]);

    for (const emptied of [false, true]) {
      nowMs = startedAtMs + DAY_MS - 1;
      if (emptied) await emptyRedis(forum.redisUrl);
      const early = await ada.post('/v1/posts', GOOD);
      assertRefused(early, 429, 'rate_limited');
      assert.equal(early.headers.get('retry-after'), '1');
    }
    nowMs = startedAtMs + DAY_MS;
    const back = await ada.post('/v1/posts', GOOD);
    assert.equal(back.status, 201);
    assert.equal(back.body.rateLimit.remaining, 0);
    assert.equal(back.body.rateLimit.resetAt, new Date(startedAtMs + 60_000 + DAY_MS).toISOString());
    assertRefused(await ada.post('/v1/posts', GOOD), 429, 'rate_limited');
    nowMs = startedAtMs + DAY_MS + 60_000;
    assert.deepEqual(await posts(ada, 30), [...Array<number>(29).fill(201), 429]);
  });

  it('refuse with Retry-After in whole seconds, rounded up, and the figures', async () => {
    const ada = await agentAtDoor();
    const usedAtMs = nowMs;
    await posts(ada, 30);
    nowMs = usedAtMs + 1_500;
    const refused = await ada.post('/v1/posts', GOOD);
    assertRefused(refused, 429, 'rate_limited');
    assert.equal(refused.headers.get('retry-after'), String(86_400 - 1));
    assert.equal(refused.headers.get('x-svc-ratelimit-remaining'), '0');
    assert.equal(refused.headers.get('x-svc-ratelimit-reset'), String(Math.ceil((usedAtMs + DAY_MS) / 1_000)));
  });

  it('are refunded by every refused write', async () => {
    const ada = await forum.agent();
    for (const body of [REFUSED, { title: 't' }, { ...GOOD, title: '# #' }, { ...GOOD, unknown: 1 }]) {
      await ada.post('/v1/posts', body);
    }
    assert.equal(await remaining(ada, 'posts'), 30);
    assert.equal((await ada.post('/v1/posts', GOOD)).body.rateLimit.remaining, 29);
    const probe = await agentAtDoor();
    for (const [outcome, status] of [
      ['refuse', 404],
      ['refuseAfterStatement', 400],
      ['free', 201],
    ] as const) {
      assert.equal((await probe.post('/v1/probe', { outcome })).status, status, outcome);
      assert.equal(await remaining(probe, 'votes'), 200, outcome);
    }
    assert.equal((await probe.post('/v1/probe', { outcome: 'accept' })).body.rateLimit.remaining, 199);
  });

  it('are refunded after an internal error before anything was written', async () => {
    const probe = await agentAtDoor();
    assertRefused(await probe.post('/v1/probe', { outcome: 'fail' }), 500, 'internal');
    assert.equal((await probe.post('/v1/probe', { outcome: 'accept' })).body.rateLimit.remaining, 199);
  });

  it('are neither moved nor passed by a preview', async () => {
    const ada = await forum.agent();
    const previewed = await ada.post('/v1/posts/preview', GOOD);
    assert.deepEqual([previewed.body.allowance.remaining, previewed.body.rateLimit.remaining], [30, 29]);
    assert.equal(await remaining(ada, 'posts'), 30);
    await posts(ada, 30);
    assertRefused(await ada.post('/v1/posts/preview', GOOD), 429, 'rate_limited');
  });

  it('let exactly the allowance pass among refused and repeated writes at once', async () => {
    const ada = await forum.agent();
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => ada.post('/v1/posts', n % 4 === 0 ? REFUSED : GOOD)),
    );
    const accepted = answers.filter(({ status }) => status === 201).length;
    assert.ok(accepted <= 30);
    assert.ok(answers.every(({ status }) => [201, 404, 429].includes(status)));
    assert.deepEqual(await posts(ada, 31 - accepted), [...Array<number>(30 - accepted).fill(201), 429]);
  });

  it('are not refilled by replays after Redis was emptied', async () => {
    const ada = await forum.agent();
    const nonces = Array.from({ length: 30 }, freshNonce);
    for (const nonce of nonces) {
      assert.equal((await ada.signed('POST', '/v1/posts', { nonce, body: GOOD })).status, 201);
    }
    await emptyRedis(forum.redisUrl);
    for (const nonce of nonces.slice(0, 5)) {
      assertRefused(await ada.signed('POST', '/v1/posts', { nonce, body: GOOD }), 401, 'unauthorized');
    }
    for (const nonce of nonces.slice(5, 10)) {
      assertRefused(await ada.signed('POST', '/v1/posts', { nonce, body: REFUSED }), 401, 'unauthorized');
    }
    assertRefused(await ada.post('/v1/posts', GOOD), 429, 'rate_limited');
    assert.equal(await remaining(ada, 'posts'), 0);
  });

  it('are read from the receipts when Redis was emptied', async () => {
    const ada = await forum.agent();
    await posts(ada, 3);
    const before = (await ada.get('/v1/greeting')).body.rateLimits.counters.posts;
    await emptyRedis(forum.redisUrl);
    assert.deepEqual((await ada.get('/v1/greeting')).body.rateLimits.counters.posts, before);
  });

  describe('of an agent that registered less than YOUNG_AGENT_HOURS ago', () => {
    const reload = (change: { youngAgentPercent: number; youngAgentHours?: number }) =>
      forum.api.reload({ ...forum.api.services.config, ...change });
    beforeEach(() => reload({ youngAgentPercent: 25, youngAgentHours: 1 }));
    after(() => reload({ youngAgentPercent: 100 }));

    it('let exactly its share pass of 20 posts at once, and say when it ends', async () => {
      const ada = await forum.agent();
      const answers = await Promise.all(Array.from({ length: 20 }, () => ada.post('/v1/posts', GOOD)));
      const refused = answers.filter(({ status }) => status === 429);
      assert.deepEqual([answers.filter(({ status }) => status === 201).length, refused.length], [8, 12]);

      const { agent, rateLimits } = (await ada.get('/v1/greeting')).body;
      const untilMs = Date.parse(agent.registeredAt) + 3_600_000;
      assert.equal(rateLimits.youngUntil, new Date(untilMs).toISOString());
      const limits = COUNTER_NAMES.map((name) => rateLimits.counters[name].limit);
      assert.deepEqual(limits, [8, 25, 50, 5, 5, 2, 13]);
      assert.equal(rateLimits.counters.posts.remaining, 0);
      for (const { headers } of answers) {
        assert.equal(headers.get('x-svc-ratelimit-limit'), '8');
        assert.equal(headers.get('x-svc-ratelimit-young-until'), String(Math.ceil(untilMs / 1_000)));
      }
      const later = await ada.post('/v1/posts', GOOD);
      assertRefused(later, 429, 'rate_limited');
      const againMs = forum.api.clock.now() + Number(later.headers.get('retry-after')) * 1_000;
      assert.ok(Math.abs(againMs - untilMs) < 10_000, later.headers.get('retry-after')!);
      const call = { name: 'create_post', arguments: GOOD };
      const { body } = await ada.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call });
      assert.match(JSON.parse(body.result.content.at(-1).text).hint, /Until 20\S+Z your allowances are smaller/);

      forum.advance(3_600_000);
      const first = await ada.post('/v1/posts', GOOD);
      assert.deepEqual([first.body.rateLimit.limit, first.body.rateLimit.remaining], [30, 21]);
      assert.equal(first.headers.get('x-svc-ratelimit-young-until'), null);
      assert.deepEqual(await posts(ada, 22), [...Array<number>(21).fill(201), 429]);
      assert.equal((await ada.get('/v1/greeting')).body.rateLimits.youngUntil, undefined);
    });

    it('are 0 at a share of 0, with the end of youth in Retry-After', async () => {
      reload({ youngAgentPercent: 0 });
      const refused = await (await forum.agent()).post('/v1/posts', GOOD);
      assertRefused(refused, 429, 'rate_limited');
      assert.ok(Math.abs(Number(refused.headers.get('retry-after')) - 3_600) < 10);
    });

    it('are shown in the documents of the forum', async () => {
      const text = async (path: string) => (await fetch(`${forum.url}${path}`)).text();
      const share = '25 % of each for 1 h after registration';
      for (const path of ['/docs/limits.md', '/skill.md']) assert.ok((await text(path)).includes(share), path);
      reload({ youngAgentPercent: 100 });
      for (const path of ['/docs/limits.md', '/skill.md']) assert.ok(!(await text(path)).includes(share), path);
    });
  });
});
