import assert from 'node:assert/strict';
import { answersChanged } from '../../../src/features/questions/service.ts';
import type { Db } from '../../../src/platform/postgres/postgres.ts';
import { inRelease } from '../../../src/platform/postgres/release.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { deadlocks, heldBack } from '../../support/heldBack.ts';
import { assertLedger } from '../../support/verify.ts';
import { eventually } from '../../support/waits.ts';
import { community } from '../communities/support/envelopes.ts';
import { ask, close, removePost, reply, requestSweep, runSweep, settle, solve, vote } from './support/scenes.ts';

const ROUNDS = 4;
const STATES: Readonly<Record<string, string>> = {
  solve: 'solved',
  close: 'closed',
  forfeit: 'closed',
  settle: 'settled',
  refund: 'settled',
  sweep: 'abandoned',
  remove: 'closed',
};

interface Scene {
  readonly postId: string;
  readonly replyId: string;
}

describe('everything that resolves a question, at the same time', () => {
  let forum: TestForum;
  let asker: TestAgent;
  let answerer: TestAgent;
  let voter: TestAgent;
  before(async () => {
    const limits = ['LIMIT_POSTS', 'LIMIT_REPLIES', 'LIMIT_VOTES', 'LIMIT_BOUNTY_WRITES'];
    const env = Object.fromEntries(limits.map((name) => [name, '10000']));
    forum = await startForum({ env: { ...env, BOUNTY_ABANDONED_SECONDS: '1', STARTER_GRANT_FIRST_USE_DAYS: '365' } });
    [asker, answerer, voter] = [await forum.agent(), await forum.agent(), await forum.agent()];
    await forum.rows('SELECT release.karma_adjust($1, 1000000000, NULL, now())', [asker.agentId]);
  });
  after(async () => {
    const met = await deadlocks(forum);
    await forum.stop();
    assert.equal(met, 0, 'locks were not taken in one order');
  });
  afterEach(() => assertLedger(forum));

  const resolvedBy = async (answer: Promise<{ status: number }>) => {
    const { status } = await answer;
    assert.ok([200, 403, 404, 409].includes(status), `status ${status}`);
    return status === 200;
  };
  const acts: Readonly<Record<string, (scene: Scene) => Promise<boolean>>> = {
    solve: ({ postId, replyId }) => resolvedBy(solve(asker, postId, replyId)),
    close: ({ postId }) => resolvedBy(close(asker, postId)),
    forfeit: ({ postId }) => resolvedBy(close(asker, postId, { forfeit: true })),
    settle: ({ postId, replyId }) => resolvedBy(settle(forum.operator, postId, { replyId })),
    refund: ({ postId }) => resolvedBy(settle(forum.operator, postId, { refund: true })),
    sweep: async ({ postId }) => {
      const { jobId } = await requestSweep(forum);
      await Promise.all([runSweep(forum, jobId), runSweep(forum, jobId)]);
      const outcome = await forum.rows('SELECT FROM sweep_outcomes WHERE job_id = $1 AND post_id = $2', [
        jobId,
        postId,
      ]);
      return outcome.length === 1;
    },
    remove: async ({ postId }) => {
      const before = await forum.rows<{ state: string }>('SELECT state FROM questions WHERE post_id = $1', [postId]);
      await removePost(forum, postId);
      return before[0]!.state === 'open';
    },
  };

  /** A question with a bounty and one answer, supported or not, that may be swept. */
  const scene = async (supported: boolean): Promise<Scene> => {
    const postId = await ask(asker, 1);
    const replyId = await reply(answerer, postId);
    if (supported) await vote(voter, replyId);
    forum.advance(2_000);
    return { postId, replyId };
  };
  const race = async (names: readonly string[], supported: boolean) => {
    const { postId, replyId } = await scene(supported);
    const won = await Promise.all(names.map((name) => acts[name]!({ postId, replyId })));
    const [question] = await forum.rows<{ state: string; hold_seq: string }>(
      'SELECT state, hold_seq FROM questions WHERE post_id = $1',
      [postId],
    );
    const rows = await forum.rows('SELECT FROM karma_rows WHERE hold_seq = $1', [question!.hold_seq]);
    assert.equal(rows.length, 1, `${names}: the bounty moved ${rows.length} times`);
    return { state: question!.state, winners: names.filter((_, index) => won[index]) };
  };

  for (const supported of [true, false]) {
    // Closing without forfeit is refused while an answer is supported: then it is no rival.
    const names = Object.keys(acts).filter((name) => name !== 'remove' && !(supported && name === 'close'));
    it(`lets exactly one win, with ${supported ? 'a' : 'no'} supported answer`, async () => {
      const pairs = names.flatMap((a, index) => names.slice(index).map((b) => [a, b]));
      const mixes = [...pairs, ...Array.from({ length: ROUNDS }, () => [...names, ...names.toReversed()])];
      for (const mix of mixes) {
        const { state, winners } = await race(mix, supported);
        assert.equal(winners.length, 1, `${mix}: ${winners} won`);
        assert.equal(state, STATES[winners[0]!]);
      }
    });
  }

  it('lets at most one come before the removal of the post, which settles the rest', async () => {
    for (const rival of ['solve', 'forfeit', 'settle', 'sweep', 'remove']) {
      for (let round = 0; round < ROUNDS; round++) {
        const { state, winners } = await race(['remove', rival, rival], true);
        const before = winners.filter((name) => name !== 'remove');
        assert.ok(rival === 'remove' || before.length <= 1, `${before} won`);
        assert.equal(state, STATES[before[0] ?? 'remove']);
      }
    }
  });

  it('keeps every sum true when answers are voted on, written and removed while the question resolves', async () => {
    const voters = await Promise.all(Array.from({ length: 6 }, () => forum.agent()));
    for (let round = 0; round < ROUNDS * 2; round++) {
      const { postId, replyId } = await scene(true);
      const done = await Promise.all(
        [
          ...voters.map((by, n) => vote(by, replyId, n % 2 === 0 ? 'up' : 'down').then(() => 0)),
          reply(voter, postId).then(() => 0),
          forum.rows('UPDATE reply_states SET removed = true WHERE reply_id = $1', [replyId]).then(() => 0),
          acts.solve!({ postId, replyId }).then(Number),
          acts.sweep!({ postId, replyId }).then(Number),
          acts.close!({ postId, replyId }).then(Number),
        ].map((act) => act.catch((error: Error) => assert.match(error.message, /not_found/))),
      );
      assert.ok(done.filter((won) => won === 1).length <= 1);
    }
  });

  it('pays an answerer before its suspension or not at all, without a deadlock', async () => {
    const awards = async (db: Db): Promise<number> => {
      const text = `SELECT count(*)::integer AS n FROM karma_rows WHERE to_account = $1 AND type = 'bounty_award'`;
      return (await db.query<{ n: number }>({ name: 'test.awards', text }, [answerer.agentId]))[0]!.n;
    };
    /** Answers how often the answerer was paid by then. */
    const suspend = (suspended: boolean) =>
      forum.api.services.db.inTransaction(async (db) => {
        const text = 'UPDATE agent_states SET suspended = $2 WHERE agent_id = $1';
        await db.query({ name: 'test.suspend', text }, [answerer.agentId, suspended]);
        await answersChanged(db, { agentId: answerer.agentId });
        return awards(db);
      });
    for (let round = 0; round < ROUNDS * 3; round++) {
      const scenes = [await scene(true), await scene(true)] as const;
      const [paid] = await Promise.all([
        suspend(true),
        acts.solve!(scenes[0]),
        acts.sweep!(scenes[1]),
        acts.settle!(scenes[1]),
        acts.close!(scenes[0]),
      ]);
      assert.equal(await awards(forum.api.services.db), paid, 'nobody is paid who is suspended');
      await suspend(false);
    }
  });

  it('pays the answer that is the best when the sweep has its lock, not when it began', async () => {
    const { postId, replyId } = await scene(true);
    const better = await forum.agent();
    const betterId = await reply(better, postId);
    forum.advance(2_000);
    const { jobId } = await requestSweep(forum);
    await heldBack(
      forum,
      { text: 'SELECT FROM post_states WHERE post_id = $1 FOR UPDATE', values: [postId] },
      [() => runSweep(forum, jobId)],
      async () => {
        await vote(voter, replyId, 'down');
        await vote(voter, betterId);
      },
    );
    assert.deepEqual(
      await forum.rows('SELECT solving_reply_id, paid_to FROM sweep_outcomes WHERE job_id = $1 AND post_id = $2', [
        jobId,
        postId,
      ]),
      [{ solving_reply_id: betterId, paid_to: better.agentId }],
    );
  });

  it('counts each answer that arrives during a recount', async () => {
    const postId = await ask(asker, 1);
    const first = await forum.agent();
    await reply(first, postId);
    const act = { action: 'suspend_agent', targetType: 'agent', targetId: first.agentId, reason: 'R' };
    const answers = await heldBack(
      forum,
      { text: 'SELECT FROM questions WHERE post_id = $1 FOR UPDATE', values: [postId] },
      [
        () => answerer.post(`/v1/posts/${postId}/replies`, { body: 'Me too' }),
        () => forum.operator.post('/v1/governance/enforcement', act),
      ],
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201],
    );
    assert.deepEqual(await forum.rows('SELECT answer_count FROM questions WHERE post_id = $1', [postId]), [
      { answer_count: 1 },
    ]);
  });

  it('counts no question as open that is asked in a community during its removal', async () => {
    const communitySlug = await community(voter, 'public');
    await asker.post(`/v1/communities/${communitySlug}/members`);
    await asker.post('/v1/posts', { title: 'T', body: 'B', communitySlug });
    const open = async () => (await asker.anonymous('GET', '/v1/pulse')).body.openQuestions;
    const others = await open();
    const act = { targetType: 'community', targetId: communitySlug, reason: 'R' };
    const enforce = (action: string) => forum.operator.post('/v1/governance/enforcement', { action, ...act });
    const [asked] = await heldBack(
      forum,
      { text: 'SELECT FROM author_counts WHERE author_id = $1 FOR UPDATE', values: [asker.agentId] },
      [() => asker.post('/v1/questions', { title: 'How?', body: 'Nobody knows', communitySlug })],
      async () => assert.equal((await enforce('remove_content')).status, 201),
    );
    assert.equal(asked!.status, 201);
    assert.equal(await open(), others);
    await enforce('restore_content');
    assert.equal(await open(), others + 1);
  });

  it('gives the bounty back that is escrowed in a community while that is removed', async () => {
    const communitySlug = await community(voter, 'public');
    await asker.post(`/v1/communities/${communitySlug}/members`);
    const act = { action: 'remove_content', targetType: 'community', targetId: communitySlug, reason: 'R' };
    const [asked, removed] = await heldBack(
      forum,
      { text: 'SELECT FROM karma_accounts WHERE agent_id = $1 FOR NO KEY UPDATE', values: [asker.agentId] },
      [
        () => asker.post('/v1/questions', { title: 'How?', body: 'Nobody knows', bountyStake: 1, communitySlug }),
        () => forum.operator.post('/v1/governance/enforcement', act),
      ],
    );
    assert.deepEqual([asked!.status, removed!.status], [201, 201]);
    assert.deepEqual(
      await forum.rows(
        `SELECT q.state, h.resolved_seq IS NULL AS held FROM questions q JOIN karma_holds h USING (hold_seq)
         WHERE q.post_id = $1`,
        [asked!.body.post.postId],
      ),
      [{ state: 'closed', held: false }],
    );
  });

  it('gives the bounty back by what the asker has once its account is free', async () => {
    const communitySlug = await community(voter, 'public');
    await asker.post(`/v1/communities/${communitySlug}/members`);
    const question = { title: 'How?', body: 'Nobody knows', bountyStake: 1, communitySlug };
    assert.equal((await asker.post('/v1/questions', question)).status, 201);
    const holder = await forum.database.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query(inRelease('SELECT release.karma_adjust($1, 5000000, NULL, now())'), [asker.agentId]);
      const act = { action: 'remove_content', targetType: 'community', targetId: communitySlug, reason: 'R' };
      const removed = forum.operator.post('/v1/governance/enforcement', act);
      const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await eventually(async () => (await forum.rows(waiting)).length === 1);
      await holder.query('COMMIT');
      assert.equal((await removed).status, 201);
    } finally {
      holder.release();
    }
    await assertLedger(forum);
  });

  it('is paid once where it is solved while its community is removed', async () => {
    const communitySlug = await community(answerer, 'public');
    await asker.post(`/v1/communities/${communitySlug}/members`);
    const question = { title: 'How?', body: 'Nobody knows', bountyStake: 1, communitySlug };
    const { postId } = (await asker.post('/v1/questions', question)).body.post;
    const replyId = await reply(answerer, postId);
    const act = { action: 'remove_content', targetType: 'community', targetId: communitySlug, reason: 'R' };
    const answers = await heldBack(
      forum,
      { text: 'SELECT FROM karma_accounts WHERE agent_id = $1 FOR NO KEY UPDATE', values: [asker.agentId] },
      [() => solve(asker, postId, replyId), () => forum.operator.post('/v1/governance/enforcement', act)],
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 201],
    );
    assert.deepEqual(await forum.rows('SELECT state FROM questions WHERE post_id = $1', [postId]), [
      { state: 'solved' },
    ]);
  });

  it('is asked with a bounty while another of the same asker is removed, without a circle of locks', async () => {
    const act = { action: 'remove_content', targetType: 'post', targetId: await ask(asker, 1), reason: 'R' };
    const answers = await heldBack(
      forum,
      { text: 'SELECT FROM karma_accounts WHERE agent_id = $1 FOR NO KEY UPDATE', values: [asker.agentId] },
      [
        () => forum.operator.post('/v1/governance/enforcement', act),
        () => asker.post('/v1/questions', { title: 'How?', body: 'Nobody knows', bountyStake: 1 }),
      ],
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [201, 201],
    );
    assert.equal(await deadlocks(forum), 0);
  });
});
