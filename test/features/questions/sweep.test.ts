import assert from 'node:assert/strict';
import { type ServiceProcess, startProcess } from '../../faults/support/processes.ts';
import type { TestAgent } from '../../support/agent.ts';
import { wantCalm } from '../../support/calm.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { assertLedger } from '../../support/verify.ts';
import { eventually } from '../../support/waits.ts';
import { expireClaims } from './support/crash.ts';
import {
  ask,
  close,
  DAY_MS,
  figures,
  newestEvents,
  questionOf,
  reply,
  requestSweep,
  runSweep,
  sweepReport,
  vote,
} from './support/scenes.ts';

wantCalm();

describe('question.sweep', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let ben: TestAgent;
  let cyd: TestAgent;
  let dan: TestAgent;
  let lastEvent: string;
  before(async () => {
    forum = await startForum({ env: { STARTER_GRANT_FIRST_USE_DAYS: '365' } });
  });
  after(() => forum.stop());
  beforeEach(async () => {
    const [row] = await forum.rows<{ last: string }>('SELECT max(event_id) AS last FROM governance_events');
    lastEvent = row!.last ?? '';
    [ada, ben, cyd, dan] = await Promise.all([forum.agent(), forum.agent(), forum.agent(), forum.agent()] as const);
  });
  afterEach(async () => {
    await assertLedger(forum);
    // Each test begins without open questions.
    days(91);
    await sweep();
  });

  const days = (count: number) => forum.advance(count * DAY_MS);
  const sweep = async (body?: object) => {
    const { jobId, nonce } = await requestSweep(forum, body);
    await runSweep(forum, jobId);
    return sweepReport(forum, nonce);
  };
  const stateOf = async (postId: string) => (await questionOf(ada, postId)).state;
  /** Those of this test. */
  const events = () =>
    forum.rows<{ target_id: string }>('SELECT target_id FROM governance_events WHERE event_id > $1 ORDER BY event_id', [
      lastEvent,
    ]);

  it('is asked for by the operator alone, with or without a body, and charges nothing', async () => {
    const path = '/v1/questions/sweeps/abandoned';
    assert.equal((await ada.anonymous('POST', path)).status, 401);
    const foreign = await ada.post(path);
    assert.deepEqual([foreign.status, foreign.body], [403, { error: 'forbidden' }]);
    for (const [body, dryRun] of [
      [undefined, false],
      [{}, false],
      [{ dryRun: false }, false],
      [{ dryRun: true }, true],
    ] as const) {
      const answer = await forum.operator.post(path, body);
      assert.equal(answer.status, 202);
      assert.match(answer.body.jobId, /^job_[a-z0-9]{25}$/);
      assert.deepEqual(answer.body, { jobId: answer.body.jobId, dryRun });
    }
    const bad = await forum.operator.post(path, { dryRun: 'true' });
    assert.deepEqual([bad.status, bad.body], [400, { error: 'invalid_request', field: 'dryRun' }]);
    const { counters } = (await forum.operator.get('/v1/greeting')).body.rateLimits;
    assert.equal(counters.bountyWrites.remaining, 20);
  });

  it('an unanswered question is refunded after 30 days, a younger one is not', async () => {
    const [old, free] = [await ask(ada, 6), await ask(ada)];
    days(29);
    const young = await ask(ada, 2);
    assert.deepEqual(await sweep(), { awarded: 0, refunded: 0, questions: [] });
    days(1);
    const report = await sweep();
    const transfer = { to: ada.agentId, amount: 6 };
    assert.deepEqual(report, {
      awarded: 0,
      refunded: 1,
      questions: [{ postId: old, solvingReplyId: null, transfer }],
    });
    assert.deepEqual([await stateOf(old), await stateOf(free), await stateOf(young)], ['abandoned', 'open', 'open']);
    assert.deepEqual(await figures(ada), [40, 38, 2]);
    assert.deepEqual(await newestEvents(ada, 1), [['bounty_refund', 6, -6]]);
    assert.deepEqual(await events(), [{ target_id: old }]);
    assert.equal((await close(ada, old)).status, 409);
  });

  it('pays the supported answer with the highest sum at full face; the earliest wins a tie', async () => {
    const postId = await ask(ada, 6);
    const first = await reply(ben, postId);
    const [second, third] = [await reply(cyd, postId), await reply(dan, postId)];
    const eve = await forum.agent();
    for (const [by, target] of [
      [dan, second],
      [ben, third],
      [dan, first],
      [cyd, first],
      [ben, second],
      [eve, first],
    ] as const) {
      await vote(by, target);
    }
    // eve came after the question: first and second have two each, third one.
    days(31);
    const [{ solvingReplyId, transfer }] = (await sweep()).questions;
    assert.deepEqual([solvingReplyId, transfer], [first, { to: ben.agentId, amount: 6 }]);
    assert.deepEqual(await newestEvents(ben, 1), [['bounty_award', 6, 0]]);
    const { state, solvingReplyId: shown } = await questionOf(ada, postId);
    assert.deepEqual([state, shown], ['abandoned', first]);
  });

  it('restarts the quiet time with each answer, but not with a clarification, or a removed or suspended answer', async () => {
    const questions = [await ask(ada, 1), await ask(ada, 1), await ask(ada, 1), await ask(ada, 1)] as const;
    days(20);
    await reply(ben, questions[0]);
    await reply(ada, questions[1]);
    const removed = await reply(ben, questions[2]);
    await reply(cyd, questions[3]);
    await forum.rows('UPDATE reply_states SET removed = true WHERE reply_id = $1', [removed]);
    await forum.rows('UPDATE agent_states SET suspended = true WHERE agent_id = $1', [cyd.agentId]);
    days(10);
    await sweep();
    const states = await Promise.all(questions.map(stateOf));
    assert.deepEqual(states, ['open', 'abandoned', 'abandoned', 'abandoned']);
    days(20);
    await sweep();
    assert.equal(await stateOf(questions[0]), 'abandoned');
  });

  it('takes questions older than three times that, even with recent answers', async () => {
    const postId = await ask(ada, 1);
    for (let n = 0; n < 9; n++) {
      days(10);
      await reply(ben, postId);
    }
    days(-0.001);
    assert.deepEqual((await sweep()).questions, []);
    days(0.002);
    assert.equal((await sweep()).questions.length, 1);
  });

  it('pays no suspended answerer: the next best is, or the asker', async () => {
    const postId = await ask(ada, 1);
    const [best, next] = [await reply(ben, postId), await reply(dan, postId)];
    await vote(cyd, best);
    await vote(dan, best);
    await vote(cyd, next);
    await forum.rows('UPDATE agent_states SET suspended = true WHERE agent_id = $1', [ben.agentId]);
    days(30);
    assert.equal((await sweep()).questions[0].solvingReplyId, next);
  });

  it('reports in a dry run to the last unit what the sweep then does, and changes nothing', async () => {
    const [paid, refunded] = [await ask(ada, 3), await ask(ada, 4)];
    await vote(cyd, await reply(ben, paid));
    days(400);
    const traces = () =>
      Promise.all([
        forum.rows('SELECT * FROM karma_accounts ORDER BY agent_id'),
        forum.rows('SELECT * FROM questions ORDER BY post_id'),
        forum.rows('SELECT count(*) FROM karma_rows'),
        events(),
      ]);
    const before = await traces();
    const promised = await sweep({ dryRun: true });
    assert.deepEqual(await traces(), before);
    assert.deepEqual(
      promised.questions.map(({ postId }: { postId: string }) => postId),
      [paid, refunded],
    );
    assert.ok(promised.questions[1].transfer.amount < 4);
    assert.deepEqual(await sweep(), promised);
    assert.deepEqual(await sweep({ dryRun: true }), { awarded: 0, refunded: 0, questions: [] });
  });

  it('uses the time of the request, even if the job runs late', async () => {
    const postId = await ask(ada, 1);
    days(29);
    const { jobId, nonce } = await requestSweep(forum);
    days(30);
    assert.equal(await sweepReport(forum, nonce), undefined);
    await runSweep(forum, jobId);
    assert.deepEqual((await sweepReport(forum, nonce)).questions, []);
    assert.equal(await stateOf(postId), 'open');
  });

  it('resolves each question once when many sweeps run at once, each of them twice, in batches', async () => {
    const asked: string[] = [];
    const askers = await Promise.all(Array.from({ length: 4 }, () => forum.agent()));
    for (const asker of askers) {
      for (let n = 0; n < 14; n++) asked.push(await ask(asker, 1));
    }
    days(30);
    // One that leaves all of them open comes to the end of them too.
    const dry = await requestSweep(forum, { dryRun: true });
    assert.equal(await runSweep(forum, dry.jobId), asked.length);
    assert.equal((await sweepReport(forum, dry.nonce)).refunded, asked.length);
    const requests = await Promise.all([requestSweep(forum), requestSweep(forum), requestSweep(forum)]);
    const looked = await Promise.all(requests.flatMap(({ jobId }) => [runSweep(forum, jobId), runSweep(forum, jobId)]));
    assert.ok(Math.max(...looked) > 50);
    const reports = await Promise.all(requests.map(({ nonce }) => sweepReport(forum, nonce)));
    assert.equal(
      reports.reduce((sum, { refunded }) => sum + refunded, 0),
      asked.length,
    );
    const swept = reports.flatMap(({ questions }) => questions.map(({ postId }: { postId: string }) => postId));
    assert.deepEqual(swept.toSorted(), asked.toSorted());
    assert.equal((await events()).length, asked.length);
    for (const asker of askers) assert.deepEqual((await figures(asker)).slice(1), [40, 0]);
  });

  it('continues an interrupted sweep, and reports the results of both', async () => {
    const asked = [await ask(ada, 1), await ask(ada, 1), await ask(ada, 1)];
    days(30);
    const { jobId, nonce } = await requestSweep(forum);
    // The connection dies in the middle, which is what a killed worker looks like to the database.
    await forum.rows(
      `CREATE FUNCTION die_once() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$`,
    );
    await forum.rows(
      `CREATE TRIGGER die_once BEFORE INSERT ON sweep_outcomes FOR EACH ROW
       WHEN (NEW.post_id = '${asked[1]}') EXECUTE FUNCTION die_once()`,
    );
    await assert.rejects(runSweep(forum, jobId));
    assert.equal(await sweepReport(forum, nonce), undefined);
    assert.deepEqual(await Promise.all(asked.map(stateOf)), ['abandoned', 'open', 'open']);
    await assertLedger(forum);
    await forum.rows('DROP TRIGGER die_once ON sweep_outcomes');
    await runSweep(forum, jobId);
    assert.equal((await sweepReport(forum, nonce)).refunded, 3);
    assert.equal(await runSweep(forum, jobId), 0);
  });
});

describe('question.sweep as a job', function () {
  this.timeout(60_000);

  it('is handed to the queue, done by the worker, and its report read by nonce', async () => {
    const forum = await startForum({ workers: true });
    try {
      const ada = await forum.agent();
      const postId = await ask(ada, 5);
      forum.advance(30 * DAY_MS);
      const dry = await requestSweep(forum, { dryRun: true });
      await eventually(async () => (await sweepReport(forum, dry.nonce)) !== undefined);
      assert.equal((await questionOf(ada, postId)).state, 'open');
      const real = await requestSweep(forum);
      await eventually(async () => (await sweepReport(forum, real.nonce)) !== undefined);
      assert.equal((await questionOf(ada, postId)).state, 'abandoned');
      await eventually(async () => (await forum.rows('SELECT FROM outbox')).length === 0);
      await assertLedger(forum);
    } finally {
      await forum.stop();
    }
  });

  it('is finished by the next worker when one is killed with -9 in the middle, and reported whole', async () => {
    const forum = await startForum();
    const workers: ServiceProcess[] = [];
    const startWorker = async () => {
      const worker = await startProcess('worker', { DATABASE_URL: forum.database.url, REDIS_URL: forum.redisUrl });
      workers.push(worker);
      return worker;
    };
    const outcomes = async () => (await forum.rows('SELECT FROM sweep_outcomes')).length;
    try {
      const [first, ada, ben] = await Promise.all([startWorker(), forum.agent(), forum.agent()]);
      for (let n = 0; n < 15; n++) await Promise.all([ask(ada, 1), ask(ben, 1)]);
      forum.advance(30 * DAY_MS);
      await forum.rows(
        `CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN PERFORM pg_sleep(0.05); RETURN NEW; END $$`,
      );
      await forum.rows('CREATE TRIGGER linger BEFORE INSERT ON sweep_outcomes FOR EACH ROW EXECUTE FUNCTION linger()');
      const { nonce } = await requestSweep(forum);
      await eventually(async () => (await outcomes()) >= 5);
      await first.end('SIGKILL');
      const done = await outcomes();
      assert.ok(done < 30, 'it was done before the kill');
      await assertLedger(forum);
      await expireClaims(forum.database.pool, forum.redisUrl);
      await startWorker();
      await eventually(async () => (await sweepReport(forum, nonce)) !== undefined);
      const { refunded, questions } = await sweepReport(forum, nonce);
      assert.deepEqual([refunded, questions.length], [30, 30]);
      await assertLedger(forum);
    } finally {
      for (const worker of workers) await worker.end('SIGTERM');
      await forum.stop();
    }
  });
});
