import assert from 'node:assert/strict';
import { openReports } from '../../../../src/features/governance/moderation/store.ts';
import { freshNonce } from '../../../contract/support/signing.ts';
import type { Answer, TestAgent } from '../../../support/agent.ts';
import { startForum, type TestForum } from '../../../support/forum.ts';
import { heldBack } from '../../../support/heldBack.ts';
import { assertVerified } from '../../../support/verify.ts';
import { eventually, scaleWait } from '../../../support/waits.ts';
import { seal } from '../../communities/support/envelopes.ts';
import { accepted, act, allEvents, assertModeration, DAY_MS, enforce, refused } from './support/scenes.ts';

const ALL = ['remove_content', 'restore_content', 'suspend_agent', 'dismiss_report'];
const FORBIDDEN = { error: 'forbidden' };

let forum: TestForum;
let ada: TestAgent;
let ben: TestAgent;
let cyd: TestAgent;

before(async () => {
  forum = await startForum({ env: { LIMIT_POSTS: '100' } });
});
beforeEach(async () => {
  [ada, ben, cyd] = await Promise.all([forum.agent(), forum.agent(), forum.agent()] as const);
});
afterEach(() => forum.rows(`UPDATE reports SET status = 'actioned' WHERE status = 'open'`));
after(async () => {
  await assertModeration(forum);
  await assertVerified(forum);
  await forum.stop();
});

const inMs = (ms: number): string => new Date(forum.api.clock.now() + ms).toISOString();
const appoint = ({ agentId }: TestAgent, scopes: readonly string[] = ALL, more: object = {}): Promise<Answer> =>
  forum.operator.post('/v1/governance/moderators', { agentId, scopes, ...more });
const dismiss = ({ agentId }: TestAgent): Promise<Answer> =>
  forum.operator.post('/v1/governance/moderators/remove', { agentId });
const moderate = (by: TestAgent, action: string, more: object): Promise<Answer> =>
  by.post('/v1/moderation/actions', { action, reason: 'By the rules', ...more });
const suspend = (by: TestAgent, { agentId }: TestAgent, until: string | undefined = inMs(DAY_MS)): Promise<Answer> =>
  moderate(by, 'suspend_agent', { targetType: 'agent', targetId: agentId, until });
const write = async (by: TestAgent, more: object = {}): Promise<string> =>
  accepted(await by.post('/v1/posts', { title: 'T', body: 'B', ...more })).post.postId;
const report = async (by: TestAgent, targetType: string, targetId: string, category = 'spam'): Promise<string> =>
  accepted(await by.post('/v1/reports', { targetType, targetId, category })).reportId;
const moderators = async () => (await ada.anonymous('GET', '/v1/governance/moderators')).body.items;

describe('moderators', () => {
  afterEach(async () => {
    for (const { agentId } of await moderators()) {
      await forum.operator.post('/v1/governance/moderators/remove', { agentId });
    }
  });

  it('are appointed and dismissed by the operator alone, in public', async () => {
    refused(await ada.post('/v1/governance/moderators', { agentId: ada.agentId, scopes: ALL }), 403, FORBIDDEN);
    const until = inMs(DAY_MS);
    const appointed = accepted(await appoint(ada, ['suspend_agent', 'remove_content'], { until }));
    const { kind, targetType, targetId, actor, moderator, reason } = appointed;
    assert.deepEqual(
      { kind, targetType, targetId, actor, moderator, until: appointed.until },
      {
        kind: 'appoint_moderator',
        targetType: 'agent',
        targetId: ada.agentId,
        actor: 'operator',
        moderator: null,
        until,
      },
    );
    assert.equal(reason, 'Appointed as a moderator with the scopes remove_content, suspend_agent.');
    assert.deepEqual(await moderators(), [
      {
        agentId: ada.agentId,
        handle: ada.handle,
        scopes: ['remove_content', 'suspend_agent'],
        appointedAt: appointed.createdAt,
        until,
        links: { event: `/v1/governance/events/${appointed.eventId}` },
      },
    ]);
    refused(await ada.post('/v1/governance/moderators/remove', { agentId: ada.agentId }), 403, FORBIDDEN);
    const dismissed = accepted(await dismiss(ada));
    assert.equal(dismissed.kind, 'dismiss_moderator');
    assert.deepEqual((await allEvents(forum)).slice(0, 2), [dismissed, appointed]);
    assert.deepEqual(await moderators(), []);
    refused(await dismiss(ada), 409, { error: 'conflict' });
  });

  it('may be appointed again with other scopes, but not twice alike', async () => {
    accepted(await appoint(ada, ['dismiss_report']));
    refused(await appoint(ada, ['dismiss_report']), 409, { error: 'conflict' });
    refused(await suspend(ada, ben), 403, FORBIDDEN);
    accepted(await appoint(ada, ['suspend_agent']));
    accepted(await suspend(ada, ben));
    assert.deepEqual((await moderators())[0].scopes, ['suspend_agent']);
  });

  it('are no unknown agents, not the operator, and have scopes and a future end', async () => {
    refused(await appoint(forum.operator), 403, FORBIDDEN);
    refused(
      await forum.operator.post('/v1/governance/moderators', { agentId: `ag1-${'A'.repeat(22)}`, scopes: ALL }),
      404,
      {
        error: 'not_found',
      },
    );
    for (const scopes of [[], ['erase_content'], ['suspend_agent', 'suspend_agent']]) {
      assert.equal((await appoint(ada, scopes)).status, 400, String(scopes));
    }
    for (const until of [inMs(-1), 'soon']) assert.equal((await appoint(ada, ALL, { until })).body.field, 'until');
    assert.deepEqual(await moderators(), []);
  });

  it('act within their scopes, and the event names them', async () => {
    const postId = await write(ben);
    const removal = { targetType: 'post', targetId: postId };
    refused(await moderate(ada, 'remove_content', removal), 403, FORBIDDEN);
    accepted(await appoint(ada, ['remove_content', 'restore_content']));
    const event = accepted(await moderate(ada, 'remove_content', removal));
    assert.equal(event.actor, 'moderator');
    assert.deepEqual(event.moderator, { agentId: ada.agentId, handle: ada.handle });
    const [newest] = await allEvents(forum);
    assert.deepEqual({ ...newest, report: null }, event);
    assert.equal((await cyd.get(`/v1/posts/${postId}`)).status, 404);
    const [day] = event.createdAt.split('T');
    const { body } = await cyd.anonymous('GET', `/v1/days/${day}`);
    assert.equal(body.moderation[0].governanceEventId, event.eventId);
    accepted(await moderate(ada, 'restore_content', removal));
    assert.equal((await cyd.get(`/v1/posts/${postId}`)).status, 200);
    refused(await suspend(ada, ben), 403, FORBIDDEN);
    const agent = { targetType: 'agent', targetId: ben.agentId };
    for (const [action, more] of [
      ['erase_content', removal],
      ['reinstate_agent', agent],
      ['adjust_karma', { ...agent, amount: 1 }],
    ] as const) {
      refused(await moderate(ada, action, more), 403, FORBIDDEN);
      refused(await moderate(forum.operator, action, more), 403, FORBIDDEN);
    }
    refused(
      await ada.post('/v1/governance/enforcement', { action: 'remove_content', ...removal, reason: 'R' }),
      403,
      FORBIDDEN,
    );
  });

  it('cannot act on the operator, themselves, another moderator, or what they wrote', async () => {
    accepted(await appoint(ada));
    accepted(await appoint(ben));
    for (const each of [forum.operator, ada, ben]) {
      refused(await suspend(ada, each), 403, FORBIDDEN);
      const targetId = await write(each);
      refused(await moderate(ada, 'remove_content', { targetType: 'post', targetId }), 403, FORBIDDEN);
      const reportId = await report(cyd, 'post', targetId);
      refused(await moderate(ada, 'dismiss_report', { reportId }), 403, FORBIDDEN);
      accepted(await enforce(forum, 'dismiss_report', { reportId }));
    }
    await act(forum, 'suspend_agent', 'agent', ben.agentId);
    accepted(await dismiss(ben));
    refused(await suspend(ada, ben), 409, { error: 'conflict' });
  });

  it('lose their scopes when the appointment ends', async () => {
    accepted(await appoint(ada, ALL, { until: inMs(60_000) }));
    assert.equal((await ada.get('/v1/moderation/reports')).status, 200);
    await forum.rows(`UPDATE moderators SET until = now() - interval '1 s' WHERE agent_id = $1`, [ada.agentId]);
    refused(await suspend(ada, ben), 403, FORBIDDEN);
    refused(await ada.get('/v1/moderation/reports'), 403, FORBIDDEN);
    assert.deepEqual(await moderators(), []);
    refused(await dismiss(ada), 409, { error: 'conflict' });
    accepted(await appoint(ada));
  });

  it('dismiss reports, and the operator sees which moderator did', async () => {
    accepted(await appoint(ada, ['dismiss_report']));
    const reportId = await report(cyd, 'post', await write(ben));
    const receipt = accepted(await moderate(ada, 'dismiss_report', { reportId }));
    assert.deepEqual(
      [receipt.eventId, receipt.actor, receipt.moderator, receipt.report],
      [null, 'moderator', { agentId: ada.agentId, handle: ada.handle }, { reportId, status: 'dismissed' }],
    );
    const [shown] = (await forum.operator.get('/v1/governance/reports')).body.items;
    assert.deepEqual(shown.dismissedBy, { agentId: ada.agentId, handle: ada.handle });
    assert.deepEqual((await ada.get('/v1/moderation/reports')).body.items, []);
  });

  it('get the same receipt for a repeated nonce, by its facts', async () => {
    accepted(await appoint(ada));
    const nonce = freshNonce();
    const body = {
      action: 'suspend_agent',
      targetType: 'agent',
      targetId: ben.agentId,
      reason: 'R',
      until: inMs(DAY_MS),
    };
    const first = accepted(await ada.signed('POST', '/v1/moderation/actions', { nonce, body }));
    assert.deepEqual((await ada.get(`/v1/writes/${nonce}`)).body.receipt, first);
  });

  it('act before their dismissal or not at all', async () => {
    const target = { text: 'SELECT FROM agent_states WHERE agent_id = $1 FOR UPDATE', values: [ben.agentId] };
    accepted(await appoint(ada));
    const [before, dismissed] = await heldBack(forum, target, [() => suspend(ada, ben), () => dismiss(ada)]);
    assert.ok(accepted(before!).eventId < accepted(dismissed!).eventId);

    accepted(await appoint(ada));
    const events = { text: 'LOCK TABLE governance_events IN SHARE ROW EXCLUSIVE MODE', values: [] };
    const [first, late] = await heldBack(forum, events, [() => dismiss(ada), () => suspend(ada, cyd)]);
    accepted(first!);
    refused(late!, 403, FORBIDDEN);
    assert.equal((await cyd.get('/v1/greeting')).body.agent.suspended, false);
  });

  it('are dismissed under load without a moderation action afterwards', async () => {
    accepted(await appoint(ada));
    const targets = await Promise.all(Array.from({ length: 8 }, () => forum.agent()));
    const acts = targets.map((each) => suspend(ada, each));
    const dismissal = dismiss(ada);
    const answers = await Promise.all(acts);
    const { eventId } = accepted(await dismissal);
    for (const { status } of answers) assert.ok([201, 403].includes(status), String(status));
    const rows = await forum.rows<{ event_id: string }>(
      `SELECT event_id FROM governance_events WHERE moderator_id = $1`,
      [ada.agentId],
    );
    assert.equal(rows.length, answers.filter(({ status }) => status === 201).length);
    for (const row of rows) assert.ok(row.event_id < eventId);
  });
});

describe('POST /v1/moderation/actions with suspend_agent', () => {
  before(async () => {
    accepted(await appoint(await forum.agent(), ['suspend_agent'])); // Another one, so that lists have two.
  });
  beforeEach(async () => {
    accepted(await appoint(ada));
  });
  const greeting = async (of: TestAgent) => (await of.get('/v1/greeting')).body.agent;
  /** The end of the suspension passes by the database's clock. */
  const pass = ({ agentId }: TestAgent) =>
    forum.rows(`UPDATE agent_states SET suspended_until = now() - interval '1 s' WHERE agent_id = $1`, [agentId]);

  it('requires an end in the future, at most 7 days ahead', async () => {
    assert.equal(
      (await moderate(ada, 'suspend_agent', { targetType: 'agent', targetId: ben.agentId })).body.field,
      'until',
    );
    for (const until of [inMs(7 * DAY_MS + 60_000), inMs(-1), 'later']) {
      const refusal = await suspend(ada, ben, until);
      assert.deepEqual([refusal.status, refusal.body.field], [400, 'until'], until);
    }
    const targetId = await write(ben);
    const removal = { targetType: 'post', targetId, until: inMs(DAY_MS) };
    assert.equal((await moderate(ada, 'remove_content', removal)).body.field, 'until');
    assert.equal((await suspend(ada, ben, inMs(7 * DAY_MS))).status, 201);
  });

  it('ends by itself: the agent writes again, and its card says so', async () => {
    const until = inMs(scaleWait(2_000));
    const event = accepted(await suspend(ada, ben, until));
    assert.equal(event.until, until);
    refused(await ben.post('/v1/posts', { title: 'T', body: 'B' }), 403, FORBIDDEN);
    const { suspended, suspendedUntil } = await greeting(ben);
    assert.deepEqual({ suspended, suspendedUntil }, { suspended: true, suspendedUntil: until });
    await assertModeration(forum);
    await eventually(async () => (await ben.post('/v1/posts', { title: 'T', body: 'B' })).status === 201);
    const { suspended: isStill, suspendedUntil: end } = await greeting(ben);
    assert.deepEqual([isStill, end], [false, null]);
    await assertModeration(forum);
    await assertVerified(forum);
  });

  it('does not let a cached response outlive the end', async () => {
    accepted(await suspend(ada, ben));
    const card = () => cyd.anonymous('GET', `/v1/agents/${ben.handle}`);
    // A response is cached from the second request on.
    for (let n = 0; n < 3; n++) assert.equal((await card()).body.suspended, true);
    const during = await ben.get('/v1/greeting');
    await pass(ben);
    const etag = during.headers.get('etag')!;
    const after = await ben.signed('GET', '/v1/greeting', { headers: { 'if-none-match': etag } });
    assert.deepEqual([after.status, after.body.agent.suspended], [200, false]);
    assert.deepEqual([(await card()).body.suspended, (await card()).body.suspendedUntil], [false, null]);
    accepted(await suspend(ada, ben));
  });

  it('leaves answers in their lists, and pays them nothing while it lasts', async () => {
    const { postId } = accepted(await cyd.post('/v1/questions', { title: 'Q', body: 'B', bountyStake: 1 })).post;
    const { replyId } = accepted(await ben.post(`/v1/posts/${postId}/replies`, { body: 'R' })).reply;
    accepted(await suspend(ada, ben));
    const [count] = await forum.rows('SELECT answer_count FROM questions WHERE post_id = $1', [postId]);
    assert.deepEqual(count, { answer_count: 1 });
    refused(await cyd.post(`/v1/questions/${postId}/solving`, { replyId }), 403, FORBIDDEN);
    await pass(ben);
    assert.equal((await cyd.post(`/v1/questions/${postId}/solving`, { replyId })).status, 200);
    accepted(await suspend(ada, ben));
  });

  it('makes no suspension shorter; the operator may make it endless or end it', async () => {
    accepted(await suspend(ada, ben, inMs(2 * DAY_MS)));
    refused(await suspend(ada, ben, inMs(DAY_MS)), 409, { error: 'conflict' });
    accepted(await suspend(ada, ben, inMs(3 * DAY_MS)));
    accepted(await enforce(forum, 'reinstate_agent', { targetType: 'agent', targetId: ben.agentId }));
    await write(ben);
    refused(await enforce(forum, 'reinstate_agent', { targetType: 'agent', targetId: ben.agentId }), 409, {
      error: 'conflict',
    });
    accepted(await suspend(ada, ben));
    await act(forum, 'suspend_agent', 'agent', ben.agentId);
    refused(await suspend(ada, ben, inMs(7 * DAY_MS)), 409, { error: 'conflict' });
    const { suspended, suspendedUntil } = await greeting(ben);
    assert.deepEqual({ suspended, suspendedUntil }, { suspended: true, suspendedUntil: null });
    await act(forum, 'reinstate_agent', 'agent', ben.agentId);
    const until = inMs(30 * DAY_MS);
    const own = accepted(await enforce(forum, 'suspend_agent', { targetType: 'agent', targetId: ben.agentId, until }));
    assert.deepEqual([own.actor, own.until], ['operator', until]);
    refused(await ben.post('/v1/posts', { title: 'T', body: 'B' }), 403, FORBIDDEN);
  });
});

describe('GET /v1/moderation/reports', () => {
  const queue = async (by: TestAgent, query = '') =>
    accepted(await by.signed('GET', '/v1/moderation/reports', { query }), 200);

  it('is for the operator and moderators', async () => {
    refused(await ada.get('/v1/moderation/reports'), 403, FORBIDDEN);
    assert.equal((await ada.anonymous('GET', '/v1/moderation/reports')).status, 401);
    assert.deepEqual((await queue(forum.operator)).items, []);
  });

  it('groups open reports by target, most reported first, without reporters', async () => {
    accepted(await appoint(ada, ['dismiss_report']));
    const [once, thrice] = [await write(ben), await write(ben, { title: 'Buy', body: 'x'.repeat(400) })];
    const first = await report(cyd, 'post', once, 'off_topic');
    const more: string[] = [];
    for (const [by, category] of [
      [cyd, 'spam'],
      [ada, 'abuse'],
      [await forum.agent(), 'spam'],
    ] as const) {
      more.push(await report(by, 'post', thrice, category));
    }
    const { items } = await queue(ada);
    assert.deepEqual(
      items.map(({ firstAt, lastAt, ...rest }: Record<string, unknown>) => rest),
      [
        {
          targetType: 'post',
          targetId: thrice,
          author: { agentId: ben.agentId, handle: ben.handle },
          excerpt: `Buy\n${'x'.repeat(296)}`,
          count: 3,
          categories: ['spam', 'abuse'],
          reportIds: more,
        },
        {
          targetType: 'post',
          targetId: once,
          author: { agentId: ben.agentId, handle: ben.handle },
          excerpt: 'T\nB',
          count: 1,
          categories: ['off_topic'],
          reportIds: [first],
        },
      ],
    );
    assert.ok(items[0].firstAt < items[0].lastAt);
    const { open, oldestSeconds } = (await openReports(forum.api.services.db))!;
    assert.equal(open, 4);
    assert.ok(oldestSeconds >= 0 && oldestSeconds < 600, String(oldestSeconds));
    const page = await queue(ada, 'limit=1');
    assert.equal(page.items[0].targetId, thrice);
    const next = await queue(ada, `limit=1&cursor=${page.nextCursor}`);
    assert.deepEqual([next.items[0].targetId, next.nextCursor], [once, undefined]);
    await act(forum, 'remove_content', 'post', thrice);
    assert.deepEqual(
      (await queue(ada)).items.map(({ targetId }: { targetId: string }) => targetId),
      [once],
    );
    accepted(await moderate(ada, 'dismiss_report', { reportId: first }));
    assert.deepEqual((await queue(ada)).items, []);
    await assertModeration(forum);
  });

  it('shows every type of target, and nothing of what is not public', async () => {
    const slug = `q-${ben.handle}`;
    const secret = `s-${ben.handle}`;
    for (const [name, visibility] of [
      [slug, 'public'],
      [secret, 'encrypted'],
    ] as const) {
      const community = { slug: name, displayName: 'A place', description: 'For all', visibility };
      accepted(await ben.post('/v1/communities', community));
    }
    const postId = await write(ben);
    const replyId = accepted(await ben.post(`/v1/posts/${postId}/replies`, { body: 'A reply' })).reply.replyId;
    const { feedbackId } = accepted(await ben.post('/v1/feedback', { kind: 'bug', title: 'F', body: 'B' })).feedback;
    const hidden = await write(ben, { communitySlug: secret, body: seal(ben, [ben.encryptionPublicKey]) });
    const excerpts: Readonly<Record<string, string | null>> = {
      [ben.agentId]: (await cyd.get(`/v1/agents/${ben.handle}/dossier`)).body.agent.description,
      [slug]: 'A place\nFor all',
      [postId]: 'T\nB',
      [replyId]: 'A reply',
      [feedbackId]: 'F\nB',
      [hidden]: null,
    };
    const types = ['agent', 'community', 'post', 'reply', 'feedback'];
    for (const [n, type] of types.entries()) await report(cyd, type, Object.keys(excerpts)[n]!);
    await report(ben, 'post', hidden);
    const { items } = await queue(forum.operator);
    const shown = Object.fromEntries(items.map((item: Record<string, string>) => [item.targetId, item.excerpt]));
    assert.deepEqual(shown, excerpts);
    const { author } = items.find(({ targetId }: { targetId: string }) => targetId === hidden);
    assert.equal(author, null);
  });
});
