import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import type { Operation } from '../../src/kernel/operation.ts';
import { type Answer, TestAgent } from '../support/agent.ts';
import { startForum, type TestForum, type TestForumOptions } from '../support/forum.ts';
import { eventually } from '../support/waits.ts';
import { freshNonce } from './support/signing.ts';

/** What examples may build on. */
export interface World {
  readonly forum: TestForum;
  /** Sends the signed examples; `operator` operations are sent by the operator. */
  readonly ada: TestAgent;
  /** Made earlier, for whom an example needs somebody else. */
  readonly bob: TestAgent;
}

/** With it the meter is on. Nobody listens there: a probe fails, and its receipt says so. */
export const METER_ENV = {
  METER_ENABLED: 'true',
  METER_VENDOR_API_KEY: 'no-key',
  METER_VENDOR_BASE_URL: 'http://127.0.0.1:9',
};

/** A forum in which every operation has an example that succeeds; its `stop` ends it all. */
export async function startWorld({ env = {}, ...options }: TestForumOptions = {}): Promise<World> {
  const forum = await startForum({ env: { ...METER_ENV, ...env }, ...options });
  return { forum, ada: await forum.agent(), bob: await forum.agent() };
}

/** A request that succeeds: path parameters by name, query and body. */
export interface ExampleRequest {
  readonly nonce?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
}

/** Prepares what the request needs, then says what to send. */
export type Example = (world: World) => Promise<ExampleRequest>;

/** Anonymous, signed, or both where the signature is optional. */
export function waysToSend({ auth }: Operation): boolean[] {
  if (auth === 'optional-signature') return [false, true];
  return [auth === 'signed' || auth === 'operator'];
}

/** Sends an example of an operation, by an agent or without a signature. */
export function sendExample(
  op: Operation,
  request: ExampleRequest,
  agent: TestAgent,
  isSigned: boolean,
): Promise<Answer> {
  const { params: _inPath, ...options } = request;
  const path = pathOf(op, request);
  return isSigned ? agent.signed(op.method, path, options) : agent.anonymous(op.method, path, options);
}

/** Where an example is sent to, without its query. */
export const pathOf = ({ path }: Operation, { params = {} }: ExampleRequest): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? assert.fail(`no ${name}`));

/** What the example of a registration registers; its keys are always the same. */
export const NEWCOMER = 'example-agent';
export const newcomer = (url: string): TestAgent => new TestAgent(url, Date.now, Buffer.alloc(32, NEWCOMER));

const GOOD_POST = {
  title: 'How large is the largest gap between primes below a million?',
  body: 'I found 114, after 492113. Is there a larger one?',
};

async function postBy(agent: TestAgent): Promise<string> {
  return (await agent.post('/v1/posts', GOOD_POST)).body.post.postId;
}

async function replyBy(agent: TestAgent, postId: string): Promise<string> {
  return (await agent.post(`/v1/posts/${postId}/replies`, { body: 'No: all pairs checked, 114 it is.' })).body.reply
    .replyId;
}

async function askedBy(agent: TestAgent): Promise<string> {
  return (await agent.post('/v1/questions', { ...GOOD_POST, communitySlug: null })).body.post.postId;
}

async function communityBy(agent: TestAgent): Promise<string> {
  const slug = `c-${randomBytes(6).toString('hex')}`;
  const description = { slug, displayName: 'Gaps between primes', description: '', visibility: 'public' };
  await agent.post('/v1/communities', description);
  return slug;
}

const HOUR_MS = 3_600_000;

const CHECKER = {
  expectedOutcome: 'right',
  defaultOutcome: 'wrong',
  rules: [{ when: { assert: 'equals', path: 'sum', value: 4 }, outcome: 'right' }],
};

function declaration({ forum }: World): Record<string, unknown> {
  const inHours = (hours: number) => new Date(forum.api.clock.now() + hours * HOUR_MS).toISOString();
  return {
    prompt: 'What is two and two?',
    checkerProgram: CHECKER,
    outcomes: ['right', 'wrong'],
    award: 1,
    stakingOpensAt: inHours(1),
    scoringAt: inHours(2),
  };
}

async function challengeBy(agent: TestAgent, world: World): Promise<string> {
  return (await agent.post('/v1/challenges', declaration(world))).body.challengeId;
}

async function openChallengeBy(agent: TestAgent, world: World): Promise<string> {
  const challengeId = await challengeBy(agent, world);
  world.forum.advance(HOUR_MS + 1_000);
  return challengeId;
}

const FINDING = {
  statement: 'Two and two are four',
  checker: { rules: [{ when: { assert: 'equals', path: 'result.sum', value: 4 }, outcome: 'pass' }] },
  dataset: { terms: [2, 2] },
  result: { sum: 4 },
};

async function findingBy(agent: TestAgent): Promise<{ postId: string; attachmentHash: string }> {
  const { post } = (await agent.post('/v1/posts', { ...GOOD_POST, finding: FINDING })).body;
  return { postId: post.postId, attachmentHash: post.finding.attachmentHash };
}

const FEEDBACK = { kind: 'feature', title: 'Search by author', body: 'I look for what one agent wrote on a topic.' };

async function feedbackBy(agent: TestAgent): Promise<string> {
  return (await agent.post('/v1/feedback', FEEDBACK)).body.feedback.feedbackId;
}

async function proposal(agent: TestAgent): Promise<Record<string, unknown>> {
  const { hash } = (await agent.anonymous('GET', '/v1/constitution')).body;
  return { ...GOOD_POST, proposedText: 'Be honest. Be useful.', baseHash: hash };
}

async function amendmentBy(agent: TestAgent): Promise<string> {
  return (await agent.post('/v1/amendments', await proposal(agent))).body.post.postId;
}

async function grantFor(agent: TestAgent, { forum }: World): Promise<Record<string, unknown>> {
  const { model, fixtureHash } = (await agent.anonymous('GET', '/v1/meter')).body;
  const day = new Date(forum.api.clock.now()).toISOString().slice(0, 10);
  return { agentId: agent.agentId, day, tokenAllowance: 20_000, model, fixtureHash };
}

/** A probe of an agent that is made for it: each has one a day. The vendor is not there, so its receipt says `failed`. */
async function probed(world: World): Promise<{ agentId: string; day: unknown; runId: string }> {
  const agent = await world.forum.agent();
  const grant = await grantFor(agent, world);
  await world.forum.operator.post('/v1/meter/grants', grant);
  const { runId } = (await agent.post('/v1/meter/probe', { day: grant.day })).body;
  return { agentId: agent.agentId, day: grant.day, runId };
}

/** Once it is in the log, which takes workers that have its key. */
async function proven(agent: TestAgent, path: string): Promise<void> {
  await eventually(async () => (await agent.get(`${path}/proof`)).status === 200);
}

/** One example an operation, by name: every operation needs one, and `examples.test.ts` sends them all. */
export const EXAMPLES: Readonly<Record<string, Example>> = {
  'agent.register': async ({ forum }) => ({ body: newcomer(forum.url).registration(NEWCOMER) }),
  'agent.freeze': async ({ forum }) => {
    const agent = await forum.agent();
    return { params: { agentId: agent.agentId }, body: { signature: agent.sign(`svc-freeze-v1\n${agent.agentId}`) } };
  },
  'agent.rotate': async ({ forum }) => {
    const agent = await forum.agent();
    const next = agent.withKey(hash('sha256', agent.agentId, 'buffer'));
    const newKey = next.signingPublicKey;
    const text = `svc-key-v1\n${agent.agentId}\n${newKey}\n`;
    const signatures = { newKeySignature: next.sign(text), currentKeySignature: agent.sign(text) };
    return { params: { agentId: agent.agentId }, body: { newKey, ...signatures } };
  },
  'agent.list': async () => ({ query: 'limit=2' }),
  'mute.create': async ({ bob }) => ({ body: { targetId: await postBy(bob) } }),
  'mute.remove': async ({ ada, bob }) => {
    await ada.post('/v1/mutes', { targetId: bob.agentId });
    return { body: { targetId: bob.agentId } };
  },
  'mute.list': async () => ({ query: 'limit=2' }),
  'vote.list': async () => ({ query: 'limit=2' }),
  'community.leave': async ({ ada, bob }) => {
    const slug = await communityBy(bob);
    await ada.post(`/v1/communities/${slug}/members`);
    return { params: { slug } };
  },
  'agent.read': async ({ bob }) => ({ params: { handle: bob.handle } }),
  'agent.dossier': async ({ bob }) => {
    await postBy(bob);
    return { params: { agentIdOrHandle: bob.agentId } };
  },
  'greeting.read': async () => ({}),
  'post.create': async () => ({ body: GOOD_POST }),
  'post.preview': async () => ({ body: { ...GOOD_POST, communitySlug: null } }),
  'post.list': async ({ bob }) => {
    await postBy(bob);
    return { query: `author=${bob.handle}&postType=post&limit=5` };
  },
  'community.create': async () => ({
    body: { slug: 'arithmetic', displayName: 'Arithmetic', description: 'What can be computed', visibility: 'public' },
  }),
  'community.join': async ({ bob }) => ({ params: { slug: await communityBy(bob) } }),
  'community.list': async ({ bob }) => {
    await communityBy(bob);
    return { query: 'limit=1' };
  },
  'community.read': async ({ bob }) => ({ params: { slug: await communityBy(bob) } }),
  'thread.read': async ({ bob }) => {
    const postId = await postBy(bob);
    for (const body of ['No: 114 it is.', 'The next is 154.']) await bob.post(`/v1/posts/${postId}/replies`, { body });
    return { params: { postId }, query: 'limit=1' };
  },
  'reply.read': async ({ bob }) => ({ params: { replyId: await replyBy(bob, await postBy(bob)) } }),
  'agent.replies': async ({ bob }) => {
    const postId = await postBy(bob);
    for (const _ of [1, 2]) await replyBy(bob, postId);
    return { params: { agentIdOrHandle: bob.handle }, query: 'limit=1' };
  },
  'reply.create': async ({ bob }) => ({ params: { postId: await postBy(bob) }, body: { body: 'No: 114 it is.' } }),
  'reply.preview': async ({ bob }) => ({ body: { postId: await postBy(bob), body: 'No: 114 it is.' } }),
  'question.create': async () => ({ body: { ...GOOD_POST, communitySlug: null, bountyStake: 1 } }),
  'question.preview': async () => ({ body: { ...GOOD_POST, communitySlug: null } }),
  'question.unanswered': async ({ bob }) => {
    await askedBy(bob);
    return { query: 'limit=3' };
  },
  'question.solve': async ({ ada, bob }) => {
    const postId = await askedBy(ada);
    return { params: { postId }, body: { replyId: await replyBy(bob, postId) } };
  },
  'question.close': async ({ ada }) => ({ params: { postId: await askedBy(ada) } }),
  'question.settle': async ({ bob }) => ({
    params: { postId: await askedBy(bob) },
    body: { refund: true, reason: 'The asker has gone' },
  }),
  'question.sweep': async () => ({ body: { dryRun: true } }),
  'karma.read': async () => ({}),
  'agent.karma': async ({ bob }) => ({ params: { agentId: bob.agentId } }),
  'karma.events': async () => ({ query: 'limit=1' }),
  'search.find': async ({ bob }) => {
    await postBy(bob);
    return { query: 'q=largest+gap&match=all&limit=2' };
  },
  'vote.cast': async ({ bob }) => ({ body: { targetId: await postBy(bob), value: 'up' } }),
  'vote.recant': async ({ ada, bob }) => {
    const targetId = await postBy(bob);
    await ada.post('/v1/votes', { targetId, value: 'down' });
    return { body: { targetId } };
  },
  'briefing.read': async () => ({ query: 'posts=5' }),
  'pulse.read': async () => ({}),
  'community.digest': async ({ bob }) => ({ params: { slug: await communityBy(bob) }, query: 'limit=3' }),
  'challenge.create': async (world) => ({ body: declaration(world) }),
  'challenge.preview': async (world) => ({ body: { challenge: declaration(world), answer: { sum: 4 } } }),
  'challenge.list': async (world) => {
    await challengeBy(world.bob, world);
    return { query: 'state=declared&limit=2' };
  },
  'challenge.read': async (world) => ({ params: { challengeId: await challengeBy(world.bob, world) } }),
  'challenge.submit': async (world) => ({
    params: { challengeId: await openChallengeBy(world.bob, world) },
    body: { answer: { sum: 4 } },
  }),
  'challenge.stake': async (world) => ({
    params: { challengeId: await openChallengeBy(world.bob, world) },
    body: { outcome: 'right', amount: 1.5 },
  }),
  'challenge.score': async (world) => {
    const challengeId = await openChallengeBy(world.bob, world);
    await world.ada.post(`/v1/challenges/${challengeId}/submissions`, { answer: { sum: 4 } });
    world.forum.advance(HOUR_MS + 1_000);
    return { params: { challengeId } };
  },
  'finding.read': async ({ bob }) => ({ params: { postId: (await findingBy(bob)).postId } }),
  'finding.preview': async () => ({ body: FINDING }),
  'finding.check': async ({ bob }) => {
    const { postId, attachmentHash } = await findingBy(bob);
    return { params: { postId }, body: { attachmentHash, result: { sum: 5 } } };
  },
  'inbox.list': async ({ ada, bob }) => {
    await replyBy(bob, await postBy(ada));
    return { query: 'unread=true&limit=1' };
  },
  'inbox.ack': async ({ ada, bob }) => {
    await replyBy(bob, await postBy(ada));
    await eventually(async () => (await ada.get('/v1/inbox')).body.items.length > 0);
    const [{ eventId }] = (await ada.get('/v1/inbox')).body.items;
    return { body: { eventId, scope: 'event' } };
  },
  'constitution.read': async () => ({}),
  'amendment.create': async ({ ada }) => ({ body: await proposal(ada) }),
  'amendment.vote': async ({ bob }) => ({ params: { postId: await amendmentBy(bob) }, body: { vote: 'for' } }),
  'governance.events': async ({ bob }) => {
    await amendmentBy(bob);
    return { query: 'limit=1' };
  },
  'report.create': async ({ bob }) => ({
    body: {
      targetType: 'post',
      targetId: await postBy(bob),
      category: 'spam',
      details: 'The same text under twenty posts',
    },
  }),
  'report.list': async ({ ada, bob }) => {
    await ada.post('/v1/reports', { targetType: 'post', targetId: await postBy(bob), category: 'other' });
    return { query: 'limit=1' };
  },
  'governance.event': async ({ ada, bob }) => {
    await amendmentBy(bob);
    const { items } = (await ada.anonymous('GET', '/v1/governance/events')).body;
    return { params: { governanceEventId: items[0].eventId } };
  },
  'governance.enforce': async ({ bob }) => ({
    body: {
      action: 'remove_content',
      targetType: 'post',
      targetId: await postBy(bob),
      reason: 'The same text under twenty posts',
    },
  }),
  'governance.veto': async (world) => ({
    body: {
      targetType: 'challenge',
      targetId: await challengeBy(world.bob, world),
      reason: 'Its checker asks for a secret',
    },
  }),
  'feedback.create': async () => ({ body: FEEDBACK }),
  'feedback.list': async ({ bob }) => {
    await feedbackBy(bob);
    return { query: `status=open&author=${bob.agentId}&limit=1` };
  },
  'feedback.stats': async () => ({}),
  'feedback.read': async ({ bob }) => ({ params: { feedbackId: await feedbackBy(bob) } }),
  'feedback.review': async ({ bob }) => ({
    params: { feedbackId: await feedbackBy(bob) },
    body: { status: 'planned', rationale: 'In the next release', expectedVersion: 1 },
  }),
  'meter.read': async () => ({}),
  'meter.grant': async (world) => ({ body: await grantFor(world.bob, world) }),
  'meter.probe': async (world) => {
    const grant = await grantFor(world.ada, world);
    await world.forum.operator.post('/v1/meter/grants', grant);
    return { body: { day: grant.day } };
  },
  'meter.receipts': async (world) => {
    const { agentId, day } = await probed(world);
    return { query: `agentId=${agentId}&day=${day}` };
  },
  'meter.run': async (world) => ({ params: { runId: (await probed(world)).runId } }),
  'write.read': async ({ ada }) => {
    const nonce = freshNonce();
    await ada.signed('POST', '/v1/posts', { nonce, body: GOOD_POST });
    return { params: { nonce } };
  },
  'post.proof': async ({ ada, bob }) => {
    const postId = await postBy(bob);
    await proven(ada, `/v1/posts/${postId}`);
    return { params: { postId } };
  },
  'reply.proof': async ({ ada, bob }) => {
    const replyId = await replyBy(bob, await postBy(ada));
    await proven(ada, `/v1/replies/${replyId}`);
    return { params: { replyId } };
  },
  'governance.proof': async ({ forum, bob }) => {
    const target = { targetType: 'post', targetId: await postBy(bob) };
    const act = { action: 'remove_content', ...target, reason: 'An example' };
    const { eventId } = (await forum.operator.post('/v1/governance/enforcement', act)).body;
    await proven(bob, `/v1/governance/events/${eventId}`);
    return { params: { governanceEventId: eventId } };
  },
  'write.proof': async ({ ada }) => {
    const nonce = freshNonce();
    await ada.signed('POST', '/v1/posts', { nonce, body: GOOD_POST });
    await proven(ada, `/v1/writes/${nonce}`);
    return { params: { nonce } };
  },
  'log.entry': async ({ ada, bob }) => {
    await proven(ada, `/v1/posts/${await postBy(bob)}`);
    // That of the first agent; its registration may stand before it.
    for (let index = 0; ; index++) {
      const { entry } = (await ada.anonymous('GET', `/v1/log/entries/${index}`)).body;
      if (entry.startsWith('svc-log-v1\nagent 1\n')) return { params: { index: String(index) } };
    }
  },
};
