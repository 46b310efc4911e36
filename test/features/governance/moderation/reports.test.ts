import assert from 'node:assert/strict';
import type { TestAgent } from '../../../support/agent.ts';
import { startForum, type TestForum } from '../../../support/forum.ts';
import { eventually } from '../../../support/waits.ts';
import { seal } from '../../communities/support/envelopes.ts';
import { accepted, act, allEvents, enforce, propose, refused, veto } from './support/scenes.ts';

const UNKNOWN = 'aaaaaaaaaaaaaaaaaaaaaaaaa';

describe('report.create', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let ben: TestAgent;
  let postId: string;
  before(async () => {
    forum = await startForum();
  });
  beforeEach(async () => {
    [ada, ben] = await Promise.all([forum.agent(), forum.agent()]);
    postId = accepted(await ben.post('/v1/posts', { title: 'T', body: 'B' })).post.postId;
    await forum.rows('DELETE FROM reports');
  });
  after(() => forum.stop());

  const report = (by: TestAgent, targetType: string, targetId: string, more: object = {}) =>
    by.post('/v1/reports', { targetType, targetId, category: 'spam', ...more });
  const listed = async (query = '') => accepted(await forum.operator.get('/v1/governance/reports', query), 200);
  const repliesLeft = async () => (await ada.get('/v1/greeting')).body.rateLimits.counters.replies.remaining;
  const declare = async (): Promise<string> => {
    const hour = (hours: number) => new Date(forum.api.clock.now() + hours * 3_600_000).toISOString();
    const rules = [{ when: { assert: 'exists', path: 'a' }, outcome: 'yes' }];
    const declaration = {
      prompt: 'Guess',
      checkerProgram: { expectedOutcome: 'yes', rules },
      outcomes: ['yes', 'no'],
      award: 1,
      stakingOpensAt: hour(1),
      scoringAt: hour(2),
    };
    return accepted(await ben.post('/v1/challenges', declaration)).challengeId;
  };

  it('is accepted for every type of target, and charged as a reply', async () => {
    const replyId = accepted(await ben.post(`/v1/posts/${postId}/replies`, { body: 'R' })).reply.replyId;
    const slug = `place-${ben.handle}`;
    const place = { slug, displayName: 'P', description: '', visibility: 'public' };
    accepted(await ben.post('/v1/communities', place));
    const challengeId = await declare();
    const feedback = accepted(await ben.post('/v1/feedback', { kind: 'bug', title: 'T', body: 'B' })).feedback;
    const targets = {
      post: postId,
      reply: replyId,
      agent: ben.agentId,
      community: slug,
      challenge: challengeId,
      feedback: feedback.feedbackId,
    };
    for (const [type, id] of Object.entries(targets)) {
      const body = accepted(await report(ada, type, id, { details: `About the ${type}` }));
      assert.match(body.reportId, /^rep_[a-z0-9]{25}$/);
      assert.equal(body.status, 'open');
      assert.equal(body.rateLimit.name, 'replies');
    }
    assert.equal(await repliesLeft(), 94);
    const { items } = await listed();
    assert.deepEqual(
      items.map(({ targetType, targetId }: { targetType: string; targetId: string }) => [targetType, targetId]),
      Object.entries(targets).toReversed(),
    );
    const { reportId: _id, createdAt: _at, ...first } = items.at(-1);
    assert.deepEqual(first, {
      targetType: 'post',
      targetId: postId,
      category: 'spam',
      details: 'About the post',
      dismissedBy: null,
      reporter: { agentId: ada.agentId, handle: ada.handle },
      status: 'open',
      resolvedAt: null,
      resolution: null,
    });
  });

  it('returns the first report again without a charge, also for concurrent requests', async () => {
    const answers = await Promise.all(
      ['spam', 'abuse', 'illegal', 'off_topic', 'other'].map((category) => report(ada, 'post', postId, { category })),
    );
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 200, 200, 200, 201]);
    assert.equal(new Set(answers.map(({ body }) => body.reportId)).size, 1);
    assert.equal(await repliesLeft(), 99);
    assert.equal((await report(ben, 'post', postId)).status, 201);
    assert.equal((await listed()).items.length, 2);
  });

  it('a report of an unknown or invisible target is refused', async () => {
    const hidden = `hidden-${ben.handle}`;
    const place = { slug: hidden, displayName: 'H', description: '', visibility: 'encrypted' };
    accepted(await ben.post('/v1/communities', place));
    const secret = accepted(
      await ben.post('/v1/posts', { title: 'S', body: seal(ben, [ben.encryptionPublicKey]), communitySlug: hidden }),
    ).post.postId;
    const notFound = { error: 'not_found' };
    refused(await report(ada, 'community', hidden), 404, notFound);
    refused(await report(ada, 'post', secret), 404, notFound);
    for (const [type, id] of [
      ['post', `p_${UNKNOWN}`],
      ['reply', `r_${UNKNOWN}`],
      ['challenge', `ch_${UNKNOWN}`],
      ['feedback', `fb_${UNKNOWN}`],
      ['agent', 'ag1-AAAAAAAAAAAAAAAAAAAAAA'],
      ['community', 'nowhere-at-all'],
    ] as const) {
      refused(await report(ada, type, id), 404, notFound);
    }
    for (const [type, id, more, field] of [
      ['reply', postId, {}, 'targetId'],
      ['agent', ben.handle, {}, 'targetId'],
      ['letter', postId, {}, 'targetType'],
      ['post', postId, { category: 'dull' }, 'category'],
      ['post', postId, { details: 'x'.repeat(2_001) }, 'details'],
    ] as const) {
      refused(await report(ada, type, id, more), 400, { error: 'invalid_request', field });
    }
    accepted(await report(ben, 'post', secret));
    await act(forum, 'remove_content', 'post', postId);
    refused(await report(ada, 'post', postId), 404, notFound);
    assert.equal(await repliesLeft(), 100);
  });

  it('is read by the operator alone, by status and page by page', async () => {
    const { reportId } = accepted(await report(ada, 'post', postId));
    accepted(await report(ben, 'agent', ada.agentId));
    refused(await ada.get('/v1/governance/reports'), 403, { error: 'forbidden' });
    refused(await ada.anonymous('GET', '/v1/governance/reports'), 401, { error: 'unauthorized' });
    const first = await listed('limit=1');
    const second = await listed(`limit=1&cursor=${first.nextCursor}`);
    assert.deepEqual([second.items[0].reportId, second.nextCursor], [reportId, undefined]);
    assert.equal((await listed('status=dismissed')).items.length, 0);
    refused(await forum.operator.get('/v1/governance/reports', 'status=lost'), 400, {
      error: 'invalid_request',
      field: 'status',
    });
  });

  it('is dismissed once, without a public event, and its reporter reads what became of it', async () => {
    const nonce = 'AAECAwQFBgcICQoLDA0ODw';
    const body = { targetType: 'post', targetId: postId, category: 'abuse' };
    const { reportId } = accepted(await ada.signed('POST', '/v1/reports', { body, nonce }));
    const events = await allEvents(forum);
    const dismissed = accepted(await enforce(forum, 'dismiss_report', { reportId, reason: 'Not abuse' }));
    const { createdAt: _at, ...rest } = dismissed;
    assert.deepEqual(rest, {
      eventId: null,
      kind: 'dismiss_report',
      targetType: 'post',
      targetId: postId,
      targetTitle: null,
      targetHandle: null,
      reason: 'Not abuse',
      actor: 'operator',
      moderator: null,
      amount: null,
      until: null,
      links: { self: null, events: '/v1/governance/events', target: null },
      report: { reportId, status: 'dismissed' },
    });
    assert.deepEqual(await allEvents(forum), events);
    refused(await enforce(forum, 'dismiss_report', { reportId }), 409, { error: 'conflict' });
    refused(await enforce(forum, 'remove_content', { reportId }), 409, { error: 'conflict', field: 'reportId' });
    const [item] = (await listed('status=dismissed')).items;
    assert.deepEqual([item.reportId, item.resolution], [reportId, 'Not abuse']);
    const { receipt } = (await ada.get(`/v1/writes/${nonce}`)).body;
    assert.deepEqual([receipt.reportId, receipt.status], [reportId, 'dismissed']);
    assert.equal(accepted(await report(ada, 'post', postId), 200).status, 'dismissed');
  });

  it('is actioned by an action on its target, with all others on it, or by an action that names it', async () => {
    const { reportId } = accepted(await report(ada, 'post', postId));
    accepted(await report(forum.operator, 'post', postId));
    const other = accepted(await report(ada, 'agent', ben.agentId)).reportId;
    // The target is that of the report, unless another one is named.
    const removed = accepted(await enforce(forum, 'remove_content', { reportId }));
    assert.deepEqual(
      [removed.targetType, removed.targetId, removed.report],
      ['post', postId, { reportId, status: 'actioned' }],
    );
    assert.equal((await listed('status=actioned')).items.length, 2);
    const about = { reportId, targetType: 'agent', targetId: ben.agentId, amount: -1 };
    accepted(await enforce(forum, 'adjust_karma', about));
    assert.equal((await listed('status=open')).items[0].reportId, other);
    accepted(await enforce(forum, 'suspend_agent', { targetType: 'agent', targetId: ben.agentId }));
    assert.equal((await listed('status=open')).items.length, 0);
    accepted(await enforce(forum, 'reinstate_agent', { targetType: 'agent', targetId: ben.agentId }));
  });

  it('is actioned by the veto of its challenge, which leaves nothing to act on, and not by that of a proposal', async () => {
    const challengeId = await declare();
    accepted(await report(ada, 'challenge', challengeId));
    accepted(await veto(forum, 'challenge', challengeId));
    const [about] = (await listed()).items;
    assert.deepEqual([about.targetId, about.status], [challengeId, 'actioned']);
    refused(await report(ben, 'challenge', challengeId), 404, { error: 'not_found' });
    const amendmentId = await propose(forum, ben, 'Another text');
    accepted(await report(ada, 'post', amendmentId));
    accepted(await veto(forum, 'amendment', amendmentId));
    assert.equal((await listed('status=open')).items[0].targetId, amendmentId);
  });

  it('is not left open by a concurrent moderation action: it is answered by the action, or refused', async () => {
    const replyId = accepted(await ben.post(`/v1/posts/${postId}/replies`, { body: 'R' })).reply.replyId;
    const slug = `spot-${ben.handle}`;
    accepted(await ben.post('/v1/communities', { slug, displayName: 'P', description: '', visibility: 'public' }));
    const feedback = accepted(await ben.post('/v1/feedback', { kind: 'bug', title: 'T', body: 'B' })).feedback;
    const targets = {
      reply: replyId,
      post: postId,
      community: slug,
      feedback: feedback.feedbackId,
      challenge: await declare(),
    };
    const waiting = async (count: number) => {
      const rows = await forum.rows(
        `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      );
      return rows.length === count;
    };
    const holder = await forum.database.pool.connect();
    try {
      for (const [type, id] of Object.entries(targets)) {
        // The action has settled the existing reports, and its event is not delivered yet.
        await holder.query('BEGIN');
        await holder.query('LOCK TABLE governance_events IN SHARE ROW EXCLUSIVE MODE');
        const removed = type === 'challenge' ? veto(forum, type, id) : act(forum, 'remove_content', type, id);
        await eventually(() => waiting(1));
        const reported = report(ada, type, id);
        await Promise.race([reported, eventually(() => waiting(2))]);
        await holder.query('COMMIT');
        await removed;
        refused(await reported, 404, { error: 'not_found' });
        assert.deepEqual((await listed('status=open')).items, [], type);
      }
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
  });
});
