import assert from 'node:assert/strict';
import type { TestAgent } from '../../../support/agent.ts';
import { startForum, type TestForum } from '../../../support/forum.ts';
import { seal } from '../../communities/support/envelopes.ts';
import { inbox, quiet } from '../../inbox/support.ts';
import { ask, reply } from '../../questions/support/scenes.ts';
import { accepted, act, allEvents, ballot, enforce, propose, refused, VOTING_MS, veto } from './support/scenes.ts';

const HOUR_MS = 3_600_000;

describe('moderation events', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let ben: TestAgent;
  before(async () => {
    forum = await startForum({ workers: true });
  });
  beforeEach(async () => {
    [ada, ben] = await Promise.all([forum.agent(), forum.agent()] as const);
  });
  after(() => forum.stop());

  const write = async (by: TestAgent, more: object = {}): Promise<string> =>
    accepted(await by.post('/v1/posts', { title: 'T', body: 'B', ...more })).post.postId;
  const found = async (by: TestAgent, visibility = 'public'): Promise<string> => {
    const slug = `c-${by.handle}`;
    accepted(await by.post('/v1/communities', { slug, displayName: 'C', description: '', visibility }));
    return slug;
  };
  const declare = async (by: TestAgent): Promise<string> => {
    const at = (hours: number) => new Date(forum.api.clock.now() + hours * HOUR_MS).toISOString();
    const rules = [{ when: { assert: 'exists', path: 'a' }, outcome: 'yes' }];
    const checkerProgram = { expectedOutcome: 'yes', rules };
    const times = { stakingOpensAt: at(1), scoringAt: at(2) };
    const challenge = { prompt: 'Guess', checkerProgram, outcomes: ['yes', 'no'], award: 1, ...times };
    return accepted(await by.post('/v1/challenges', challenge)).challengeId;
  };
  const file = async (by: TestAgent): Promise<string> =>
    accepted(await by.post('/v1/feedback', { kind: 'bug', title: 'T', body: 'B' })).feedback.feedbackId;
  /** The links of the agent's moderation events, oldest first, and nothing else of them. */
  const told = async (agent: TestAgent): Promise<(string | null)[]> => {
    await quiet(forum);
    return (await inbox(agent, 'type=moderation')).items.map(({ type, link, replyId }) => {
      assert.deepEqual([type, replyId], ['moderation', undefined]);
      return link;
    });
  };
  const event = async (link: string) => accepted(await ada.anonymous('GET', link), 200);

  it('the author or founder gets one public event for each removal and restoration', async () => {
    const postId = await write(ben);
    const targets = [
      ['post', postId],
      ['reply', await reply(ben, await write(ada))],
      ['community', await found(ben)],
      ['challenge', await declare(ben)],
      ['feedback', await file(ben)],
    ] as const;
    const links: string[] = [];
    for (const [type, id] of targets) {
      for (const action of ['remove_content', 'restore_content'])
        links.push((await act(forum, action, type, id)).links.self);
    }
    assert.deepEqual(await told(ben), links);
    for (const [index, link] of links.entries()) {
      const { kind, targetType, targetId, reason, links: own } = await event(link);
      const [type, id] = targets[Math.floor(index / 2)]!;
      const action = index % 2 === 0 ? 'remove_content' : 'restore_content';
      assert.deepEqual([kind, targetType, targetId, reason], [action, type, id, 'It had to be']);
      assert.equal(own.self, link);
    }
    assert.deepEqual(await told(ada), []);
    assert.deepEqual(await told(forum.operator), []);
    const page = await inbox(ben, 'type=karma');
    assert.ok(page.items.every(({ type }) => type === 'karma'));
  });

  it('a suspended agent reads about it in inbox and greeting, and cannot write', async () => {
    const suspended = async (view: string) => {
      const { body } = await ben.get(`/v1/${view}`);
      return (body.greeting ?? body).agent.suspended;
    };
    assert.equal(await suspended('greeting'), false);
    const { links } = await act(forum, 'suspend_agent', 'agent', ben.agentId);
    assert.deepEqual([await suspended('greeting'), await suspended('briefing')], [true, true]);
    assert.deepEqual(await told(ben), [links.self]);
    const { items, unread } = await inbox(ben, 'unread=true');
    assert.deepEqual([items.at(-1)?.link, unread], [links.self, items.length]);
    const { kind, targetId, reason } = await event(links.self);
    assert.deepEqual([kind, targetId, reason], ['suspend_agent', ben.agentId, 'It had to be']);
    refused(await ben.post('/v1/inbox/ack', { eventId: items[0]!.eventId }), 403, { error: 'forbidden' });
    const reinstated = await act(forum, 'reinstate_agent', 'agent', ben.agentId);
    assert.equal(await suspended('greeting'), false);
    assert.deepEqual(await told(ben), [links.self, reinstated.links.self]);
  });

  it('an adjustment creates only a karma event, and a dismissal or a veto creates none', async () => {
    const target = { targetType: 'agent', targetId: ben.agentId };
    accepted(await enforce(forum, 'adjust_karma', { ...target, amount: -1 }));
    const reportId = accepted(await ada.post('/v1/reports', { ...target, category: 'spam' })).reportId;
    accepted(await enforce(forum, 'dismiss_report', { reportId }));
    accepted(await veto(forum, 'challenge', await declare(ben)));
    assert.deepEqual(await told(ben), []);
    const { items } = await inbox(ben);
    assert.deepEqual(
      items.map(({ type }) => type),
      ['karma', 'karma', 'karma', 'karma'],
    );
  });

  it('the event for an author in an encrypted community names nothing of that community', async () => {
    const slug = await found(ben, 'encrypted');
    accepted(await ben.post(`/v1/communities/${slug}/members`, { handle: ada.handle }));
    const body = seal(ada, [ada.encryptionPublicKey, ben.encryptionPublicKey]);
    const postId = await write(ada, { communitySlug: slug, body });
    const removed = await act(forum, 'remove_content', 'post', postId);
    const closed = await act(forum, 'remove_content', 'community', slug);
    assert.deepEqual(await told(ada), [removed.links.self]);
    assert.deepEqual(await told(ben), [closed.links.self]);
    for (const { links } of [removed, closed]) {
      const shown = await event(links.self);
      assert.deepEqual([shown.targetId, shown.links.target], [null, null]);
      const text = JSON.stringify(shown);
      for (const secret of [postId, slug, ada.agentId, ben.agentId]) assert.ok(!text.includes(secret), text);
    }
  });

  it('the links of moderation events always lead to something', async () => {
    const question = await ask(ada, 2);
    await reply(ben, question);
    const targets = [
      ['post', await write(ada)],
      ['post', await ask(ada, 2)],
      ['reply', await reply(ben, await write(ada))],
      ['community', await found(ben)],
      ['challenge', await declare(ben)],
      ['feedback', await file(ben)],
    ] as const;
    const amendment = await propose(forum, ada, `Text of ${ada.handle}`);
    const settlement = { refund: true, reason: 'R' };
    accepted(await forum.operator.post(`/v1/questions/${question}/settlement`, settlement), 200);
    await act(forum, 'suspend_agent', 'agent', ben.agentId);
    const ended = await propose(forum, ada, `Other text of ${ada.handle}`);
    const steps: (() => Promise<unknown>)[] = [
      ...['remove_content', 'restore_content', 'remove_content'].map((action) => async () => {
        for (const [type, id] of targets) await act(forum, action, type, id);
      }),
      async () => accepted(await veto(forum, 'challenge', targets[4]![1])),
      async () => accepted(await veto(forum, 'amendment', amendment)),
      () => act(forum, 'remove_content', 'post', question),
      async () => {
        accepted(await ballot(ada, ended), 200);
        forum.advance(VOTING_MS);
      },
      () => act(forum, 'remove_content', 'post', ended),
      () => act(forum, 'remove_content', 'post', amendment),
    ];
    for (const step of steps) {
      await step();
      await assertLinksLead();
    }
    const kinds = new Set((await allEvents(forum)).map(({ kind }) => kind));
    for (const kind of ['veto', 'amendment_proposed', 'amendment_rejected', 'question_settled', 'suspend_agent'])
      assert.ok(kinds.has(kind), kind);
  }).timeout(60_000);

  /** Every link of every public event returns 200. The event's own link returns the event as it is listed. */
  async function assertLinksLead(): Promise<void> {
    const events = await allEvents(forum);
    for (const each of events) assert.deepEqual(await event(each.links.self), each);
    // Many are of one target.
    const links = new Map(
      events.flatMap(({ kind, links: { events: of, target } }) => [of, target].map((link) => [link, kind])),
    );
    links.delete(null);
    for (const [link, kind] of links) assert.equal((await ada.anonymous('GET', link)).status, 200, `${kind} ${link}`);
  }

  it('the tool get_governance_event returns the same event, and an unknown id is not_found', async () => {
    const { links, eventId } = await act(forum, 'remove_content', 'post', await write(ben));
    const call = (name: string, args: object) =>
      ada.anonymous('POST', '/mcp', {
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
        headers: { accept: 'application/json, text/event-stream' },
      });
    const { result } = (await call('get_governance_event', { eventId })).body;
    assert.deepEqual(result.structuredContent, await event(links.self));
    const unknown = await ada.anonymous('GET', '/v1/governance/events/gov_aaaaaaaaaaaaaaaaaaaaaaaaa');
    refused(unknown, 404, { error: 'not_found' });
  });
});
