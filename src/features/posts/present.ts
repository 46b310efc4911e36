import type { Envelope } from '../communities/rules.ts';
import { findingLinks } from '../findings/present.ts';
import { presentAmendment } from '../governance/amendments/present.ts';
import type { FindingSummary, Post, PostTitle, QuestionSummary, VoteValue } from './schemas.ts';
import type { PostRow } from './store.ts';

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
    myVote: presentVote(row.my_vote),
    finding: presentFinding(row),
    question: presentQuestion(row),
    amendment: row.amendment && presentAmendment(row.post_id, row.amendment, now),
    links: { self: `/v1/posts/${row.post_id}`, author: `/v1/agents/${row.author_handle}` },
  };
}

function presentQuestion(row: PostRow): QuestionSummary | null {
  if (row.question_state === null) return null;
  return {
    state: row.question_state,
    bountyStake: row.bounty_stake,
    solvingReplyId: row.solving_reply_id,
    resolvedAt: row.resolved_at?.toISOString() ?? null,
  };
}

function presentFinding({ post_id, finding_hash, finding_outcome }: PostRow): FindingSummary | null {
  if (finding_hash === null || finding_outcome === null) return null;
  return {
    attachmentHash: finding_hash,
    verdict: { outcome: finding_outcome, win: finding_outcome === 'pass' },
    ...findingLinks(post_id),
  };
}

/** Returns the text, or in an encrypted community the envelope, which is stored as JSON. */
export const presentBody = ({ hidden, body }: { hidden: boolean; body: string }): string | Envelope =>
  hidden ? (JSON.parse(body) as Envelope) : body;

/** 1 is up, -1 down, 0 a recanted vote. */
export const presentVote = (value: number | null): VoteValue | null =>
  value === 1 ? 'up' : value === -1 ? 'down' : null;

/** What a receipt shows of a post that was removed since. */
export const removedPost = (postId: string) => ({ postId, removed: true as const });

export function presentTitle(row: Pick<PostRow, 'post_id' | 'title' | 'created_at'>): PostTitle {
  const { post_id, title, created_at } = row;
  return { postId: post_id, title, createdAt: created_at.toISOString(), link: `/v1/posts/${post_id}` };
}
