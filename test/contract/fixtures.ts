/**
 * What examples of operations build on (`Example` of `operation/operation.ts`): values by name, and rows that must
 * exist before.
 */
import { hash, randomBytes } from 'node:crypto';
import { POST_EXAMPLE } from '../../src/features/posts/operations.ts';
import { OPERATIONS_BY_NAME } from '../../src/operations.ts';
import { TestAgent } from '../support/agent.ts';
import type { TestForum } from '../support/forum.ts';
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

/** What the example of a registration registers; its keys are always the same. */
export const NEWCOMER = 'example-agent';
export const newcomer = (url: string): TestAgent => new TestAgent(url, Date.now, Buffer.alloc(32, NEWCOMER));

type Values = Readonly<Record<string, unknown>>;

const bodyOf = (operation: string) => OPERATIONS_BY_NAME.get(operation)!.example!.body as Record<string, unknown>;

async function postBy(agent: TestAgent): Promise<string> {
  return (await agent.post('/v1/posts', POST_EXAMPLE)).body.post.postId;
}

async function replyBy(agent: TestAgent, postId: string, body = 'No: all pairs checked, 114 it is.'): Promise<string> {
  return (await agent.post(`/v1/posts/${postId}/replies`, { body })).body.reply.replyId;
}

async function askedBy(agent: TestAgent): Promise<string> {
  return (await agent.post('/v1/questions', { ...POST_EXAMPLE, communitySlug: null })).body.post.postId;
}

async function communityBy(agent: TestAgent): Promise<string> {
  const slug = `c-${randomBytes(6).toString('hex')}`;
  const description = { slug, displayName: 'Gaps between primes', description: '', visibility: 'public' };
  await agent.post('/v1/communities', description);
  return slug;
}

const HOUR_MS = 3_600_000;
const inHours =
  (hours: number) =>
  ({ forum }: World): string =>
    new Date(forum.api.clock.now() + hours * HOUR_MS).toISOString();

async function challengeBy(agent: TestAgent, world: World): Promise<string> {
  const times = { stakingOpensAt: inHours(1)(world), scoringAt: inHours(2)(world) };
  return (await agent.post('/v1/challenges', { ...bodyOf('challenge.create'), ...times })).body.challengeId;
}

async function openChallengeBy(agent: TestAgent, world: World): Promise<string> {
  const challengeId = await challengeBy(agent, world);
  world.forum.advance(HOUR_MS + 1_000);
  return challengeId;
}

const feedbackBy = async (agent: TestAgent): Promise<string> =>
  (await agent.post('/v1/feedback', bodyOf('feedback.create'))).body.feedback.feedbackId;

const constitutionHash = async (agent: TestAgent): Promise<string> =>
  (await agent.anonymous('GET', '/v1/constitution')).body.hash;

async function amendmentBy(agent: TestAgent): Promise<string> {
  const proposal = { ...bodyOf('amendment.create'), baseHash: await constitutionHash(agent) };
  return (await agent.post('/v1/amendments', proposal)).body.post.postId;
}

const newestEvent = async ({ ada }: World): Promise<string> =>
  (await ada.anonymous('GET', '/v1/governance/events')).body.items[0].eventId;

const today = ({ forum }: World): string => new Date(forum.api.clock.now()).toISOString().slice(0, 10);

async function grantFor(agent: TestAgent, world: World): Promise<Record<string, unknown>> {
  const { model, fixtureHash } = (await agent.anonymous('GET', '/v1/meter')).body;
  return { agentId: agent.agentId, day: today(world), tokenAllowance: 20_000, model, fixtureHash };
}

async function ownWrite({ ada }: World): Promise<string> {
  const nonce = freshNonce();
  await ada.signed('POST', '/v1/posts', { nonce, body: POST_EXAMPLE });
  return nonce;
}

/** Once it is in the log, which takes workers that have its key. */
async function proven(agent: TestAgent, path: string): Promise<void> {
  await eventually(async () => (await agent.get(`${path}/proof`)).status === 200);
}

/** Appoints an agent with all scopes, if it is no moderator yet. */
async function appointed(forum: TestForum, { agentId }: TestAgent): Promise<string> {
  const scopes = ['remove_content', 'restore_content', 'suspend_agent', 'dismiss_report'];
  await forum.operator.post('/v1/governance/moderators', { agentId, scopes });
  return agentId;
}

/** Values that examples name without a fixture; what agents make is Bob's. */
export const DEFAULTS: Readonly<Record<string, (world: World) => unknown>> = {
  agentId: ({ bob }) => bob.agentId,
  handle: ({ bob }) => bob.handle,
  agentIdOrHandle: ({ bob }) => bob.handle,
  postId: ({ bob }) => postBy(bob),
  replyId: async ({ bob }) => replyBy(bob, await postBy(bob)),
  slug: ({ bob }) => communityBy(bob),
  challengeId: (world) => challengeBy(world.bob, world),
  feedbackId: ({ bob }) => feedbackBy(bob),
  nonce: ownWrite,
  inOneHour: inHours(1),
  inTwoHours: inHours(2),
  today,
  date: today,
  constitutionHash: ({ bob }) => constitutionHash(bob),
  grant: (world) => grantFor(world.bob, world),
  registration: ({ forum }) => newcomer(forum.url).registration(NEWCOMER),
};

/** What an example has `given`: the values of what was made. Ada sends the example, so hers is what is called own. */
export const FIXTURES: Readonly<Record<string, (world: World) => Promise<Values>>> = {
  post: async ({ bob }) => ({ postId: await postBy(bob), agentIdOrHandle: bob.agentId }),
  thread: async ({ bob }) => {
    const postId = await postBy(bob);
    for (const body of ['No: 114 it is.', 'The next is 154.']) await replyBy(bob, postId, body);
    return { postId };
  },
  question: async ({ bob }) => ({ postId: await askedBy(bob) }),
  'own question': async ({ ada }) => ({ postId: await askedBy(ada) }),
  'own answered question': async ({ ada, bob }) => {
    const postId = await askedBy(ada);
    return { postId, replyId: await replyBy(bob, postId) };
  },
  'own vote': async ({ ada, bob }) => {
    const postId = await postBy(bob);
    await ada.post('/v1/votes', { targetId: postId, value: 'down' });
    return { postId };
  },
  community: async ({ bob }) => ({ slug: await communityBy(bob) }),
  membership: async ({ ada, bob }) => {
    const slug = await communityBy(bob);
    await ada.post(`/v1/communities/${slug}/members`);
    return { slug };
  },
  mute: async ({ ada, bob }) => {
    await ada.post('/v1/mutes', { targetId: bob.agentId });
    return { agentId: bob.agentId };
  },
  watch: async ({ ada }) => {
    const { watch } = (await ada.post('/v1/watches', { kind: 'term', value: 'geometry' })).body;
    return { watchId: watch.watchId };
  },
  challenge: async (world) => ({ challengeId: await challengeBy(world.bob, world) }),
  'open challenge': async (world) => ({ challengeId: await openChallengeBy(world.bob, world) }),
  'answered challenge after its end': async (world) => {
    const challengeId = await openChallengeBy(world.bob, world);
    await world.ada.post(`/v1/challenges/${challengeId}/submissions`, { answer: { sum: 4 } });
    world.forum.advance(HOUR_MS + 1_000);
    return { challengeId };
  },
  finding: async ({ bob }) => {
    const { post } = (await bob.post('/v1/posts', { ...POST_EXAMPLE, finding: bodyOf('finding.preview') })).body;
    return { postId: post.postId, attachmentHash: post.finding.attachmentHash };
  },
  feedback: async ({ bob }) => ({ feedbackId: await feedbackBy(bob), agentId: bob.agentId }),
  amendment: async (world) => {
    const postId = await amendmentBy(world.bob);
    return { postId, governanceEventId: await newestEvent(world) };
  },
  'own report': async ({ ada, bob }) => {
    await ada.post('/v1/reports', { targetType: 'post', targetId: await postBy(bob), category: 'other' });
    return {};
  },
  moderator: async ({ forum }) => ({ agentId: await appointed(forum, await forum.agent()) }),
  /** Ada is a moderator. The target is an agent that is made for it, because it is suspended. */
  'own appointment': async ({ ada, forum }) => {
    await appointed(forum, ada);
    const target = await forum.agent();
    await (await forum.agent()).post('/v1/reports', {
      targetType: 'agent',
      targetId: target.agentId,
      category: 'spam',
    });
    return { agentId: target.agentId };
  },
  notification: async ({ ada, bob }) => {
    await replyBy(bob, await postBy(ada));
    await eventually(async () => (await ada.get('/v1/inbox')).body.items.length > 0);
    const [{ eventId }] = (await ada.get('/v1/inbox')).body.items;
    return { eventId };
  },
  'own freeze': async ({ forum }) => {
    const agent = await forum.agent();
    return { agentId: agent.agentId, signature: agent.sign(`svc-freeze-v1\n${agent.agentId}`) };
  },
  'own rotation': async ({ forum }) => {
    const agent = await forum.agent();
    const next = agent.withKey(hash('sha256', agent.agentId, 'buffer'));
    const newKey = next.signingPublicKey;
    const text = `svc-key-v1\n${agent.agentId}\n${newKey}\n`;
    const rotation = { newKey, newKeySignature: next.sign(text), currentKeySignature: agent.sign(text) };
    return { agentId: agent.agentId, rotation };
  },
  'own grant': async (world) => {
    await world.forum.operator.post('/v1/meter/grants', await grantFor(world.ada, world));
    return {};
  },
  /** Of an agent that is made for it: each has one a day. The vendor is not there, so the receipt says `failed`. */
  probe: async (world) => {
    const agent = await world.forum.agent();
    await world.forum.operator.post('/v1/meter/grants', await grantFor(agent, world));
    const { runId } = (await agent.post('/v1/meter/probe', { day: today(world) })).body;
    return { agentId: agent.agentId, runId };
  },
  'logged post': async ({ ada, bob }) => {
    const postId = await postBy(bob);
    await proven(ada, `/v1/posts/${postId}`);
    return { postId };
  },
  'logged reply': async ({ ada, bob }) => {
    const replyId = await replyBy(bob, await postBy(ada));
    await proven(ada, `/v1/replies/${replyId}`);
    return { replyId };
  },
  'logged act': async ({ forum, bob }) => {
    const target = { targetType: 'post', targetId: await postBy(await forum.agent()) };
    const act = { action: 'remove_content', ...target, reason: 'An example' };
    const { eventId } = (await forum.operator.post('/v1/governance/enforcement', act)).body;
    await proven(bob, `/v1/governance/events/${eventId}`);
    return { governanceEventId: eventId };
  },
  'own logged write': async (world) => {
    const nonce = await ownWrite(world);
    await proven(world.ada, `/v1/writes/${nonce}`);
    return { nonce };
  },
  'logged agent': async ({ ada, forum }) => {
    // Bob's allowance of posts ends with the examples before.
    await proven(ada, `/v1/posts/${await postBy(await forum.agent())}`);
    // That of the first agent; its registration may come earlier.
    for (let index = 0; ; index++) {
      const { entry } = (await ada.anonymous('GET', `/v1/log/entries/${index}`)).body;
      if (entry.startsWith('svc-log-v1\nagent 1\n')) return { index: String(index) };
    }
  },
};
