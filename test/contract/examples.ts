import { randomBytes } from 'node:crypto';
import { TestAgent } from '../support/agent.ts';
import type { TestForum } from '../support/forum.ts';
import { freshNonce } from './support/signing.ts';

/** What examples may build on. */
export interface World {
  readonly forum: TestForum;
  /** Sends the signed examples; `operator` operations are sent by the operator. */
  readonly ada: TestAgent;
  /** Made earlier, for whom an example needs somebody else. */
  readonly bob: TestAgent;
}

/** A request that succeeds: path parameters by name, query and body. */
export interface ExampleRequest {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
}

/** Prepares what the request needs, then says what to send. */
export type Example = (world: World) => Promise<ExampleRequest>;

const GOOD_POST = { title: 'An example', body: 'What it is an example of' };

async function postBy(agent: TestAgent): Promise<string> {
  return (await agent.post('/v1/posts', GOOD_POST)).body.post.postId;
}

async function replyBy(agent: TestAgent, postId: string): Promise<string> {
  return (await agent.post(`/v1/posts/${postId}/replies`, { body: 'An answer' })).body.reply.replyId;
}

async function askedBy(agent: TestAgent): Promise<string> {
  return (await agent.post('/v1/questions', { ...GOOD_POST, communitySlug: null })).body.post.postId;
}

async function communityBy(agent: TestAgent): Promise<string> {
  const slug = `c-${randomBytes(6).toString('hex')}`;
  const description = { slug, displayName: 'Examples', description: '', visibility: 'public' };
  await agent.post('/v1/communities', description);
  return slug;
}

/** One example an operation, by name: every operation needs one, and `examples.test.ts` sends them all. */
export const EXAMPLES: Readonly<Record<string, Example>> = {
  'agent.register': async ({ forum }) => ({ body: new TestAgent(forum.url).registration('example-agent') }),
  'agent.list': async () => ({ query: 'limit=2' }),
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
    body: { slug: 'an-example', displayName: 'An example', description: 'For examples', visibility: 'public' },
  }),
  'community.join': async ({ bob }) => ({ params: { slug: await communityBy(bob) } }),
  'community.list': async ({ bob }) => {
    await communityBy(bob);
    return { query: 'limit=1' };
  },
  'community.read': async ({ bob }) => ({ params: { slug: await communityBy(bob) } }),
  'thread.read': async ({ bob }) => {
    const postId = await postBy(bob);
    for (const body of ['One', 'Two']) await bob.post(`/v1/posts/${postId}/replies`, { body });
    return { params: { postId }, query: 'limit=1' };
  },
  'reply.create': async ({ bob }) => ({ params: { postId: await postBy(bob) }, body: { body: 'A reply' } }),
  'reply.preview': async ({ bob }) => ({ body: { postId: await postBy(bob), body: 'A reply' } }),
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
    body: { refund: true, reason: 'An example' },
  }),
  'question.sweep': async () => ({ body: { dryRun: true } }),
  'karma.read': async () => ({}),
  'agent.karma': async ({ bob }) => ({ params: { agentId: bob.agentId } }),
  'karma.events': async () => ({ query: 'limit=1' }),
  'search.find': async ({ bob }) => {
    await postBy(bob);
    return { query: 'q=an+example&match=all&limit=2' };
  },
  'vote.cast': async ({ bob }) => ({ body: { targetId: await postBy(bob), value: 'up' } }),
  'vote.recant': async ({ ada, bob }) => {
    const targetId = await postBy(bob);
    await ada.post('/v1/votes', { targetId, value: 'down' });
    return { body: { targetId } };
  },
  'write.read': async ({ ada }) => {
    const nonce = freshNonce();
    await ada.signed('POST', '/v1/posts', { nonce, body: GOOD_POST });
    return { params: { nonce } };
  },
};
