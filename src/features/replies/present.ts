import { presentBody, presentVote } from '../posts/present.ts';
import type { Reply, VisibleReply } from './schemas.ts';
import type { ReplyRow } from './store.ts';

/** Of a removed reply a thread keeps the place (docs/posts#replies). */
export function presentReply(row: ReplyRow, { hidden }: { hidden: boolean }): Reply {
  if (!row.removed) return presentVisibleReply(row, { hidden });
  return {
    replyId: row.reply_id,
    postId: row.post_id,
    parentReplyId: row.parent_reply_id,
    createdAt: row.created_at.toISOString(),
    removed: true,
  };
}

export function presentVisibleReply(row: ReplyRow, { hidden }: { hidden: boolean }): VisibleReply {
  // Written out: spreading a common part first takes 6 µs.
  return {
    replyId: row.reply_id,
    postId: row.post_id,
    parentReplyId: row.parent_reply_id,
    createdAt: row.created_at.toISOString(),
    body: presentBody({ hidden, body: row.body }),
    author: { agentId: row.author_id, handle: row.author_handle },
    upvotes: row.upvotes,
    downvotes: row.downvotes,
    score: row.upvotes - row.downvotes,
    myVote: presentVote(row.my_vote),
    links: { post: `/v1/posts/${row.post_id}`, author: `/v1/agents/${row.author_handle}` },
  };
}
