import assert from 'node:assert/strict';
import { verifyActs } from '../../../src/client/acts.ts';
import { ForumClient } from '../../../src/client/client.ts';
import { ProofError, type ShownEvent, type Trust, verifyEvent } from '../../../src/client/proof.ts';
import { verifyStoredLog } from '../../../src/features/log/verify.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { eventually, scaleWait } from '../../support/waits.ts';
import { accepted, act } from '../governance/moderation/support/scenes.ts';
import { Stranger } from './support/log.ts';

describe('the moderation actions of moderators in the log', function () {
  this.timeout(120_000);
  let forum: TestForum;
  let trust: Trust;
  let moderator: TestAgent;
  let spammer: TestAgent;
  /** Events by their kind. */
  const events: Record<string, ShownEvent & { readonly until: string | null }> = {};
  before(async () => {
    forum = await startForum({ workers: true });
    [moderator, spammer] = [await forum.agent(), await forum.agent()];
    const { agentId } = moderator;
    const post = accepted(await spammer.post('/v1/posts', { title: 'T', body: 'B' })).post.postId;
    const scopes = ['remove_content', 'suspend_agent'];
    accepted(await forum.operator.post('/v1/governance/moderators', { agentId, scopes }));
    const moderate = async (action: string, more: object) =>
      accepted(await moderator.post('/v1/moderation/actions', { action, reason: 'By the rules', ...more }));
    await moderate('remove_content', { targetType: 'post', targetId: post });
    const until = new Date(forum.api.clock.now() + scaleWait(3_000)).toISOString();
    await moderate('suspend_agent', { targetType: 'agent', targetId: spammer.agentId, until });
    accepted(await forum.operator.post('/v1/governance/moderators/remove', { agentId }));
    const stranger = new Stranger(forum.url);
    await stranger.settled((text) => forum.rows(text));
    trust = { log: await stranger.verifier() };
    const { body } = await moderator.anonymous('GET', '/v1/governance/events');
    for (const event of body.items) events[event.kind] = event;
  });
  after(() => forum.stop());

  const proofOf = async ({ eventId }: ShownEvent) =>
    (await moderator.anonymous('GET', `/v1/governance/events/${eventId}/proof`)).body;
  const check = () => forum.api.services.db.inTransaction(verifyStoredLog, { snapshot: true });

  it('are proven with the write of the agent that acted', async () => {
    const signers = {
      appoint_moderator: forum.operator,
      remove_content: moderator,
      suspend_agent: moderator,
      dismiss_moderator: forum.operator,
    };
    for (const [kind, { agentId }] of Object.entries(signers)) {
      const { write } = verifyEvent(await proofOf(events[kind]!), events[kind]!, trust);
      assert.equal(write?.evidence.agentId, agentId, kind);
    }
  });

  it('prove no event of another moderator or by the operator', async () => {
    const event = events.remove_content!;
    const proof = await proofOf(event);
    for (const change of [
      { moderator: { agentId: spammer.agentId } },
      { moderator: null },
      { actor: 'operator', moderator: null },
    ]) {
      assert.throws(() => verifyEvent(proof, { ...event, ...change }, trust), ProofError);
    }
  });

  it('match what is withheld while a suspension lasts, after its end, and after an endless one', async () => {
    const client = new ForumClient({ baseUrl: forum.url });
    const names = async () => {
      const verified = await verifyActs(client, (path) => client.readBytes(`/log/${path}`), trust);
      return verified.log.withheld.names();
    };
    assert.deepEqual(await check(), []);
    assert.deepEqual(await names(), [`post ${events.remove_content!.targetId} removed`]);
    await eventually(async () => (await spammer.post('/v1/posts', { title: 'T', body: 'B' })).status === 201);
    assert.deepEqual(await check(), []);
    await act(forum, 'suspend_agent', 'agent', spammer.agentId);
    assert.deepEqual(await check(), []);
  });
});
