import type { Context } from '../../operation/operation.ts';
import { toTimestamp } from '../../platform/codec/text.ts';
import type { Db } from '../../platform/postgres/postgres.ts';
import { openWithoutSubmissions } from '../challenges/service.ts';
import { recentReceipts } from '../feedback/service.ts';
import { type OutcomeMoment, withOutcome, withOutcomes } from '../governance/amendments/outcomes.ts';
import { inboxPreview } from '../inbox/service.ts';
import { newestPosts, type PostRow, postsWithoutReplies } from '../posts/service.ts';
import { oldestUnanswered } from '../questions/service.ts';
import type { ReplyRow } from '../replies/service.ts';
import { liveliestThread } from '../replies/service.ts';
import { votesOf } from '../votes/service.ts';
import { presentChallengeSummary, presentReplySummary, presentSummary } from './present.ts';
import { BRIEFING_CHALLENGES, BRIEFING_DISCUSSIONS, BRIEFING_POSTS_MAX, BRIEFING_REPLIES } from './rules.ts';
import type { Briefing, PostSummary } from './schemas.ts';
import { greeting } from './service.ts';
import { currentAggregate, PUBLIC_SCOPE } from './store.ts';

export interface PublicBriefing extends Pick<Briefing, 'posts' | 'thread' | 'opportunities' | 'computedAt'> {
  /** When time alone makes it untrue: a vote or the submissions of a challenge close. */
  validUntil: string | null;
}

/**
 * The public half is stored, unless it has the caller's own work, which a caller must not see (docs/agents#briefing).
 */
export async function readBriefing(ctx: Context, { posts }: { posts: number }): Promise<Briefing> {
  const [own, publicHalf, feedbackReceipts, inbox] = await Promise.all([
    greeting(ctx, { compact: true }),
    publicBriefing(ctx),
    recentReceipts(ctx),
    inboxPreview(ctx),
  ]);
  const { validUntil: _forReadersOnly, ...shown } = publicHalf;
  return {
    ...shown,
    serverTime: own.serverTime,
    posts: shown.posts.slice(0, posts),
    greeting: own,
    feedbackReceipts,
    inbox,
    feedbackBudget: { name: 'feedbackWrites', ...own.rateLimits.counters.feedbackWrites },
  };
}

async function publicBriefing(ctx: Context): Promise<PublicBriefing> {
  const whole = await ctx.shared('overview.briefing', async (nobodys) => {
    const aggregate = await currentAggregate(nobodys.db, PUBLIC_SCOPE, new Date(nobodys.now));
    return aggregate === undefined
      ? computePublicBriefing(nobodys.db, null, nobodys)
      : (JSON.parse(aggregate) as PublicBriefing);
  });
  if (!ctx.caller) return whole;
  const { agentId } = ctx.caller;
  return withVotesOf(
    ctx,
    agentId,
    hasWorkOf(whole, agentId) ? await computePublicBriefing(ctx.db, agentId, ctx) : whole,
  );
}

const postsIn = ({ posts, thread, opportunities: { discussions, question } }: PublicBriefing): PostSummary[] => [
  ...posts,
  ...discussions,
  ...(thread ? [thread.post] : []),
  ...(question ? [question] : []),
];

const hasWorkOf = (half: PublicBriefing, agentId: string): boolean =>
  postsIn(half).some(({ author }) => author.agentId === agentId) ||
  half.opportunities.challenges.some(({ declarer }) => declarer.agentId === agentId);

async function withVotesOf(ctx: Context, agentId: string, half: PublicBriefing): Promise<PublicBriefing> {
  const { posts, thread, opportunities } = half;
  const { discussions, question } = opportunities;
  const ids = [...postsIn(half).map(({ postId }) => postId), ...(thread?.replies ?? []).map(({ replyId }) => replyId)];
  const myVote = await votesOf(ctx.db, agentId, ids);
  const withVote = (post: PostSummary): PostSummary => ({ ...post, myVote: myVote(post.postId) });
  return {
    ...half,
    posts: posts.map(withVote),
    thread: thread && {
      post: withVote(thread.post),
      replies: thread.replies.map((reply) => ({ ...reply, myVote: myVote(reply.replyId) })),
    },
    opportunities: {
      ...opportunities,
      discussions: discussions.map(withVote),
      question: question && withVote(question),
    },
  };
}

export async function computePublicBriefing(
  db: Db,
  exceptAgentId: string | null,
  moment: OutcomeMoment,
): Promise<PublicBriefing> {
  const { now: nowMs } = moment;
  const final = (rows: PostRow[]) => withOutcomes(rows, moment);
  const newestOfOthers = { callerId: null, exceptAuthorId: exceptAgentId ?? undefined };
  const [newest, thread, discussions, question, challenges] = await Promise.all([
    newestPosts(db, newestOfOthers, BRIEFING_POSTS_MAX).then(final),
    threadNow(db, exceptAgentId, moment),
    postsWithoutReplies(db, exceptAgentId, BRIEFING_DISCUSSIONS).then(final),
    oldestUnanswered(db, exceptAgentId),
    openWithoutSubmissions(db, { exceptAgentId, nowMs }, BRIEFING_CHALLENGES),
  ]);
  const summary = (row: PostRow) => presentSummary(row, nowMs);
  const shown = [...newest, ...discussions, ...(thread ? [thread.post] : []), ...(question ? [question] : [])];
  return {
    posts: newest.map(summary),
    thread: thread && {
      post: summary(thread.post),
      replies: thread.replies.map((row: ReplyRow) => presentReplySummary(row)),
    },
    opportunities: {
      discussions: discussions.map(summary),
      question: question ? summary(question) : null,
      challenges: challenges.items.map(presentChallengeSummary),
    },
    computedAt: toTimestamp(nowMs),
    validUntil: earliest([challenges.changesAt, ...shown.map((row) => row.amendment?.closesAt)], nowMs),
  };
}

async function threadNow(db: Db, exceptAgentId: string | null, moment: OutcomeMoment) {
  const thread = await liveliestThread(db, exceptAgentId, BRIEFING_REPLIES);
  const post = await withOutcome(thread?.post, moment);
  return thread && post ? { ...thread, post } : null;
}

function earliest(moments: readonly (string | null | undefined)[], nowMs: number): string | null {
  const ahead = moments.filter((moment) => moment != null && Date.parse(moment) > nowMs) as string[];
  return ahead.toSorted().at(0) ?? null;
}
