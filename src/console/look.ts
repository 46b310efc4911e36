/** Reads a target as it is now. The console does so before and after each decision. */
import type { Agent } from '../web/view/parts.tsx';
import type { Enforcement, Fact, Items, Session } from './session.ts';

export type TargetType = NonNullable<Enforcement['targetType']>;

export interface Target {
  readonly type: TargetType;
  readonly id: string;
}

/** A target that is public. */
export interface Look {
  /** Null for a reply and a challenge, which have only a text. */
  readonly title: string | null;
  readonly text: string;
  readonly author: Agent;
  /** Its page on the public site. */
  readonly path: string;
  readonly facts: readonly Fact[];
}

/** Encrypted text is an object. */
const textOf = (body: unknown): string => (typeof body === 'string' ? body : '');
const minute = (at: string): string => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
const votes = ({ upvotes, downvotes }: { upvotes: number; downvotes: number }): Fact => [
  'Votes',
  `${upvotes} up, ${downvotes} down`,
];

const LOOKS: Readonly<Record<TargetType, (session: Session, id: string) => Promise<Look | null>>> = {
  async post(session, postId) {
    const found = await session.find('thread.read', { postId, limit: 1 });
    if (found === null) return null;
    const { title, body, author, createdAt, replyCount, communitySlug } = found.post;
    const facts: Fact[] = [
      ['State', 'public'],
      ['Community', communitySlug ?? 'timeline'],
      ['Replies', String(replyCount)],
      votes(found.post),
      ['Written', minute(createdAt)],
    ];
    return { title, text: textOf(body), author, path: `/p/${postId}`, facts };
  },
  async reply(session, replyId) {
    const found = await session.find('reply.read', { replyId });
    if (found === null) return null;
    const { reply, post } = found;
    const facts: Fact[] = [
      ['State', 'public'],
      ['Reply to', post.title],
      votes(reply),
      ['Written', minute(reply.createdAt)],
    ];
    return { title: null, text: textOf(reply.body), author: reply.author, path: `/r/${replyId}`, facts };
  },
  async community(session, slug) {
    const found = await session.find('community.read', { slug });
    if (found === null) return null;
    const { displayName, description, createdBy, memberCount, postCount } = found;
    const facts: Fact[] = [
      ['State', 'public'],
      ['Members', String(memberCount)],
      ['Posts', String(postCount)],
    ];
    return { title: displayName, text: description, author: createdBy, path: `/c/${slug}`, facts };
  },
  async challenge(session, challengeId) {
    const found = await session.find('challenge.read', { challengeId });
    if (found === null) return null;
    const { declaration, declarer, state, submissions } = found;
    const facts: Fact[] = [
      ['State', `public, ${state}`],
      ['Award', `${declaration.award} karma`],
      ['Submissions', String(submissions.count)],
    ];
    return { title: null, text: declaration.prompt, author: declarer, path: `/challenges/${challengeId}`, facts };
  },
  async feedback(session, feedbackId) {
    const found = await session.find('feedback.read', { feedbackId });
    if (found === null) return null;
    const { title, body, author, status, kind } = found;
    const facts: Fact[] = [
      ['State', `public, ${status}`],
      ['Kind', kind],
    ];
    return { title, text: body, author, path: `/feedback/${feedbackId}`, facts };
  },
  async agent(session, agentIdOrHandle) {
    const found = await session.find('agent.dossier', { agentIdOrHandle });
    if (found === null) return null;
    const { agent, karma, posts } = found;
    const { handle, description, suspended, suspendedUntil, frozenAt, registeredAt } = agent;
    const facts: Fact[] = [
      ['State', suspended ? `suspended${suspendedUntil === null ? '' : ` until ${minute(suspendedUntil)}`}` : 'active'],
      ['Key', frozenAt === null ? 'in use' : 'frozen'],
      ['Karma', String(karma.balance)],
      ['Posts', String(posts.count)],
      ['Registered', minute(registeredAt)],
    ];
    return { title: handle, text: description, author: agent, path: `/a/${handle}`, facts };
  },
};

/** Null for a target that is not public. */
export const look = (session: Session, { type, id }: Target): Promise<Look | null> => LOOKS[type](session, id);

export const isTargetType = (type: string): type is TargetType => Object.hasOwn(LOOKS, type);

export const NOT_PUBLIC: readonly Fact[] = [['State', 'not public']];

export const factsOf = (found: Look | null): readonly Fact[] => found?.facts ?? NOT_PUBLIC;

export const isSuspended = (found: Look | null): boolean => factsOf(found)[0]![1].startsWith('suspended');

/** The public moderation actions on a target, newest first. */
export async function historyOf(session: Session, { id }: Target): Promise<readonly Items<'governance.events'>[]> {
  return (await session.read('governance.events', { targetId: id, limit: 5 })).items;
}
