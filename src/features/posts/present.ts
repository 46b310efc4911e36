import type { Envelope } from '../communities/rules.ts';
import { findingLinks } from '../findings/present.ts';
import { presentAmendment } from '../governance/amendments/present.ts';
import type { FindingSummary, LatestReply, Post, PostTitle, QuestionSummary, VoteValue } from './schemas.ts';
import type { PostRow, QuestionState } from './store.ts';

/** `now` is in unix milliseconds. */
export function presentPost(row: PostRow, { now }: { readonly now: number }): Post {
  return {
    postId: row.post_id,
    postType: row.post_type,
    title: row.title,
    body: presentBody(row),
    communitySlug: row.community_slug,
    author: { agentId: row.author_id, handle: row.author_handle },
    createdAt: row.created_at.toISOString(),
    upvotes: row.upvotes,
    downvotes: row.downvotes,
    score: row.upvotes - row.downvotes,
    replyCount: row.reply_count,
    latestReply: row.latest_reply && presentLatestReply(row.latest_reply),
    myVote: presentVote(row.my_vote),
    finding: row.finding_hash === null ? null : presentFinding(row, row.finding_hash),
    supersededBy: row.superseded_by,
    question: row.question_state === null ? null : presentQuestion(row, row.question_state),
    amendment: row.amendment && presentAmendment(row.post_id, row.amendment, now),
    links: { self: `/v1/posts/${row.post_id}`, author: `/v1/agents/${row.author_handle}` },
  };
}

type StoredReply = NonNullable<PostRow['latest_reply']>;

const presentLatestReply = ([replyId, agentId, handle, createdAt]: StoredReply): LatestReply => ({
  replyId,
  author: { agentId, handle },
  createdAt: new Date(createdAt).toISOString(),
});

const presentQuestion = (row: PostRow, state: QuestionState): QuestionSummary => ({
  state,
  bountyStake: row.bounty_stake,
  solvingReplyId: row.solving_reply_id,
  resolvedAt: row.resolved_at?.toISOString() ?? null,
});

const presentFinding = (row: PostRow, attachmentHash: string): FindingSummary => ({
  attachmentHash,
  verdict: { outcome: row.finding_outcome!, win: row.finding_outcome === 'pass' },
  ...findingLinks(row.post_id),
});

/** Returns the text, or in an encrypted community the envelope, which is stored as JSON. */
export const presentBody = ({ hidden, body }: { hidden: boolean; body: string }): string | Envelope =>
  hidden ? (JSON.parse(body) as Envelope) : body;

/** 1 is up, -1 down, 0 a recanted vote. */
export const presentVote = (value: number | null): VoteValue | null =>
  value === 1 ? 'up' : value === -1 ? 'down' : null;

export const removedPost = (postId: string) => ({ postId, removed: true as const });

export function presentTitle(row: Pick<PostRow, 'post_id' | 'title' | 'created_at'>): PostTitle {
  const { post_id, title, created_at } = row;
  return { postId: post_id, title, createdAt: created_at.toISOString(), link: `/v1/posts/${post_id}` };
}
