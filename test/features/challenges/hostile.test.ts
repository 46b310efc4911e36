import assert from 'node:assert/strict';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { CheckerPool } from '../../../src/features/challenges/checkerPool.ts';
import { serveVariant } from '../../contract/support/variant.ts';
import { hostileCases } from '../../platform/checker/support/hostile.ts';
import { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { scaleWait } from '../../support/waits.ts';
import { close, declaration, openChallenge, score, submit } from './support.ts';

const OUTCOMES = ['y', 'n'];
const LOSES = { outcome: 'n', win: false, void: false };
const BUSY = { token: 'unavailable' };

describe('the checker under load', () => {
  let forum: TestForum;
  before(async () => {
    forum = await startForum({ env: { LIMIT_POSTS: '1000' } });
  });
  after(() => forum.stop());

  it('leaves plain reads answering under a hundred of the worst programs at once', async function () {
    this.timeout(60_000);
    const path = (await forum.operator.post('/v1/posts', { title: 'Read me', body: 'x' })).body.post.links.self;
    const cases = hostileCases();
    let busy = true;
    const alone = await readTimes(path, async () => sleep(500));
    const started = performance.now();
    const load = Promise.all(
      Array.from({ length: 100 }, (_, n) => {
        const { program, answer } = cases[n % cases.length]!;
        const challenge = declaration(forum, { outcomes: OUTCOMES, checkerProgram: program });
        return forum.operator.anonymous('POST', '/v1/challenges/preview', { body: { challenge, answer } });
      }),
    ).finally(() => {
      busy = false;
    });
    const under = await readTimes(path, async () => {
      while (busy) await sleep(20);
    });
    const answers = await load;
    const seconds = ((performance.now() - started) / 1_000).toFixed(1);
    const answered = answers.filter(({ status }) => status === 200);
    for (const { body } of answered) assert.deepEqual(body, { valid: true, verdict: LOSES, warnings: [] });
    for (const { status, body } of answers)
      if (status !== 200) assert.deepEqual([status, body.error], [503, 'unavailable']);
    console.log(
      `      a read alone: median ${alone.median} ms, worst ${alone.worst} ms of ${alone.count}; ` +
        `under a hundred worst programs (${answered.length} answered in ${seconds} s): ` +
        `median ${under.median} ms, worst ${under.worst} ms of ${under.count}`,
    );
    assert.ok(answered.length >= 50, `${answered.length} answered`);
    assert.ok(
      under.count >= 10 && under.median < scaleWait(500) && under.worst < scaleWait(3_000),
      JSON.stringify(under),
    );
  });

  /** Reads one post again and again, one after another, until `work` is done. */
  async function readTimes(path: string, work: () => Promise<void>) {
    let done = false;
    const working = work().then(() => {
      done = true;
    });
    const times: number[] = [];
    while (!done) {
      const started = performance.now();
      assert.equal((await forum.operator.anonymous('GET', path)).status, 200);
      times.push(performance.now() - started);
      await sleep(5);
    }
    await working;
    times.sort((a, b) => a - b);
    return { count: times.length, median: Math.round(times[times.length >> 1]!), worst: Math.round(times.at(-1)!) };
  }

  it('gives heavy submissions their verdict, by which they are scored', async () => {
    const { program, answer } = hostileCases()[0]!;
    const challenge = await openChallenge(forum, forum.operator, { outcomes: OUTCOMES, checkerProgram: program });
    const ada = await forum.agent();
    const { status, body } = await submit(ada, challenge, answer);
    assert.equal(status, 201);
    assert.deepEqual(body.verdict, LOSES);
    close(forum, challenge);
    assert.equal((await score(ada, challenge)).body.scoring.outcome, 'n');
  });

  it('takes a submission while strangers leave no room for one more preview', async () => {
    const { program, answer } = hostileCases()[0]!;
    const challenge = await openChallenge(forum, forum.operator, { outcomes: OUTCOMES, checkerProgram: program });
    const { signing } = await forum.agent();
    const checker = new CheckerPool({ threads: 1, maxWaiting: 8, timeLimitMs: 10_000 });
    const full = await serveVariant(forum, { checker });
    const ada = new TestAgent(full.url, () => forum.api.services.clock.now(), signing.secretKey.subarray(0, 32));
    try {
      const declared = declaration(forum, { outcomes: OUTCOMES, checkerProgram: program });
      const preview = () => ada.anonymous('POST', '/v1/challenges/preview', { body: { challenge: declared, answer } });
      const crowd = Array.from({ length: 24 }, preview);
      // The first one refused, although on a slow machine another may have its verdict before.
      await Promise.any(crowd.map(async (previewed) => assert.equal((await previewed).status, 503)));
      assert.equal((await submit(ada, challenge, answer)).status, 201);
      await Promise.all(crowd);
    } finally {
      await full.stop();
      await checker.stop();
    }
  });
});

describe('the checker pool', () => {
  const { program, answer } = hostileCases()[0]!;
  const heavy = { program, outcomes: OUTCOMES, answer };
  const light = { program: { expectedOutcome: 'y', rules: [rule('a')] }, outcomes: OUTCOMES, answer: { a: 1 } };
  const wide = { ...light, answer: { a: 'x'.repeat(60_000) } };
  let pool: CheckerPool;
  afterEach(() => pool.stop());

  function rule(path: string) {
    return { when: { assert: 'exists', path }, outcome: 'y' };
  }

  it('returns the same verdicts for light tasks at once and for heavy ones from a thread', async () => {
    pool = new CheckerPool({ timeLimitMs: 10_000 });
    assert.deepEqual(await pool.check(light), { outcome: 'y', win: true, void: false });
    assert.deepEqual(await pool.check(heavy), LOSES);
    assert.deepEqual(await pool.check(wide), { outcome: 'y', win: true, void: false });
  }).timeout(20_000);

  it('rejects a task that takes too long, and replaces its thread', async () => {
    pool = new CheckerPool({ threads: 1, timeLimitMs: 1 });
    for (const outcome of await Promise.allSettled(Array.from({ length: 3 }, () => pool.check(heavy)))) {
      assert.ok(outcome.status === 'rejected');
      assert.equal(outcome.reason.token, 'unavailable');
    }
    assert.deepEqual(await pool.check(light), { outcome: 'y', win: true, void: false });
  }).timeout(20_000);

  it('ignores a verdict that arrives after the time limit', async () => {
    const timeLimitMs = scaleWait(500);
    pool = new CheckerPool({ threads: 1, timeLimitMs, maxWaitMs: 60_000 });
    await pool.check(wide);
    // The next tick of the event loop runs timers before it reads messages of threads.
    await nextTurn();
    const tasks = [pool.check(wide), pool.check(wide)];
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, timeLimitMs * 1.2);
    const [, next] = await Promise.allSettled(tasks);
    assert.deepEqual(next, { status: 'fulfilled', value: { outcome: 'y', win: true, void: false } });
  }).timeout(20_000);

  it('rejects tasks beyond its queue, and those that waited too long', async () => {
    pool = new CheckerPool({ threads: 1, maxWaiting: 2, timeLimitMs: 10_000 });
    const settled = await Promise.allSettled(Array.from({ length: 5 }, () => pool.check(heavy)));
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
    );
    await pool.stop();
    pool = new CheckerPool({ threads: 1, maxWaitMs: 20, timeLimitMs: 10_000 });
    const first = pool.check(heavy);
    await assert.rejects(pool.check(heavy), BUSY);
    assert.deepEqual(await first, LOSES);
  }).timeout(20_000);

  it('queues tasks that go first apart from the others, and starts them before', async () => {
    pool = new CheckerPool({ threads: 1, maxWaiting: 1, timeLimitMs: 10_000 });
    const done: string[] = [];
    const check = async (name: string, goesFirst: boolean) => {
      await pool.check(heavy, { goesFirst });
      done.push(name);
    };
    const begun = [check('running', false), check('other', false)];
    await assert.rejects(check('one more', false), BUSY);
    await Promise.all([...begun, check('first', true)]);
    assert.deepEqual(done, ['running', 'first', 'other']);
  }).timeout(20_000);

  it('rejects running tasks when it stops, and heavy tasks from then on', async () => {
    pool = new CheckerPool();
    const refused = assert.rejects(pool.check(heavy), BUSY);
    await pool.stop();
    await refused;
    await assert.rejects(pool.check(heavy), BUSY);
  }).timeout(20_000);
});
