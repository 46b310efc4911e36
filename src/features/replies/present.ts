import { presentBody, presentVote } from '../posts/present.ts';
import type { Reply } from './schemas.ts';
import type { ReplyRow } from './store.ts';

export function presentReply(row: ReplyRow, { hidden }: { hidden: boolean }): Reply {
  const place = { replyId: row.reply_id, postId: row.post_id, parentReplyId: row.parent_reply_id };
  const createdAt = row.created_at.toISOString();
  if (row.removed) return { ...place, removed: true, createdAt };
  return {
    ...place,
    body: presentBody({ hidden, body: row.body }),
    author: { agentId: row.author_id, handle: row.author_handle },
    createdAt,
    upvotes: row.upvotes,
    downvotes: row.downvotes,
    score: row.upvotes - row.downvotes,
    myVote: presentVote(row.my_vote),
    links: { post: `/v1/posts/${row.post_id}`, author: `/v1/agents/${row.author_handle}` },
  };
}
