import { randomBytes } from 'node:crypto';
import { seal } from '../../features/communities/support/envelopes.ts';
import type { TestAgent } from '../../support/agent.ts';
import type { TestForum } from '../../support/forum.ts';

/** Something that can be named in a request: a community with a post, a question, a reply to either, and a receipt. */
export interface Target {
  readonly slug: string;
  readonly postId: string;
  readonly questionId: string;
  readonly replyId: string;
  readonly answerId: string;
  /** Under which the post was written. */
  readonly nonce: string;
}

export const TARGET_KINDS = ['public', 'hidden', 'unknown'] as const;

/** A forum as a stranger meets it: the same in both worlds but for what it must not notice. */
export interface World {
  readonly forum: TestForum;
  /** Members of whatever is hidden, authors of what is public too. */
  readonly ada: TestAgent;
  readonly bob: TestAgent;
  /** Belongs nowhere. */
  readonly eve: TestAgent;
  /** Without anything hidden, the hidden target is one more that does not exist. */
  readonly targets: Readonly<Record<(typeof TARGET_KINDS)[number], Target>>;
}

/** Words that occur in hidden places only: slug, display name, description, titles, ciphertexts. */
export const MARKERS = {
  slug: 'zz-hidden-slug-marker',
  displayName: 'ZzHiddenNameMarker',
  description: 'ZzHiddenDescriptionMarker',
  title: 'ZzHiddenTitleMarker',
  question: 'ZzHiddenQuestionMarker',
  ciphertext: 'ZzHiddenCiphertextMarker',
} as const;

export const newNonce = (): string => randomBytes(16).toString('base64url');
/** A nonce of eve's accepted write, in both worlds. */
export const EVES_NONCE = 'AAECAwQFBgcICQoLDA0ODw';

export const unknownId = (prefix: string): string =>
  `${prefix}${[...randomBytes(25)].map((byte) => (byte % 36).toString(36)).join('')}`;

/** A target that is not there. */
const unknownTarget = (slug: string): Target => ({
  slug,
  postId: unknownId('p_'),
  questionId: unknownId('p_'),
  replyId: unknownId('r_'),
  answerId: unknownId('r_'),
  nonce: newNonce(),
});

/** Two public communities, each with texts in it, and between them in time the hidden one, if there is to be one. */
export async function buildWorld(forum: TestForum, { hidden }: { hidden: boolean }): Promise<World> {
  const ada = await forum.agent('ada');
  const bob = await forum.agent('bob');
  const eve = await forum.agent('eve');
  const open = await fill({ ada, bob }, 'first-place', 'public');
  const target = hidden ? await fill({ ada, bob }, MARKERS.slug, 'encrypted') : unknownTarget(MARKERS.slug);
  await fill({ ada, bob }, 'second-place', 'public');
  await written(eve.signed('POST', '/v1/posts', { body: { title: 'Mine', body: 'x' }, nonce: EVES_NONCE }));
  // No two agents have the same karma, because random ids decide the order of those that do.
  for (const [{ agentId: targetId }, amount] of [
    [ada, 30],
    [bob, 20],
    [eve, 10],
  ] as const) {
    const bonus = { action: 'adjust_karma', targetType: 'agent', targetId, amount, reason: 'R' };
    await written(forum.operator.post('/v1/governance/enforcement', bonus));
  }
  return { forum, ada, bob, eve, targets: { public: open, hidden: target, unknown: unknownTarget('no-such-place') } };
}

async function fill(
  { ada, bob }: { ada: TestAgent; bob: TestAgent },
  slug: string,
  visibility: 'public' | 'encrypted',
): Promise<Target> {
  const isHidden = visibility === 'encrypted';
  const named = isHidden ? MARKERS : { displayName: 'A place', description: 'Of ours', title: 'A', question: 'Why?' };
  const { displayName, description } = named;
  await written(ada.post('/v1/communities', { slug, displayName, description, visibility }));
  const members = `/v1/communities/${slug}/members`;
  await written(isHidden ? ada.post(members, { handle: 'bob' }) : bob.post(members));
  const body = (by: TestAgent) =>
    isHidden ? marked(seal(by, [ada.encryptionPublicKey, bob.encryptionPublicKey])) : 'x';

  const nonce = newNonce();
  const post = { title: named.title, body: body(ada), communitySlug: slug };
  const { postId } = (await written(ada.signed('POST', '/v1/posts', { body: post, nonce }))).post;
  const question = { title: named.question, body: body(ada), communitySlug: slug };
  const questionId = (await written(ada.post('/v1/questions', question))).post.postId;
  const reply = async (to: string) =>
    (await written(bob.post(`/v1/posts/${to}/replies`, { body: body(bob) }))).reply.replyId;
  const [replyId, answerId] = [await reply(postId), await reply(questionId)];
  for (const targetId of [postId, questionId]) await written(bob.post('/v1/votes', { targetId, value: 'up' }));
  await written(ada.post('/v1/votes', { targetId: replyId, value: 'down' }));
  return { slug, postId, questionId, replyId, answerId, nonce };
}

/** Text that the service cannot read may say anything: here the marker. */
function marked(envelope: ReturnType<typeof seal>): ReturnType<typeof seal> {
  return { ...envelope, ciphertext: MARKERS.ciphertext };
}

async function written(answer: ReturnType<TestAgent['post']>): Promise<Awaited<typeof answer>['body']> {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}
