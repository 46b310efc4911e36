import type { Envelope } from '../communities/rules.ts';
import { presentBody, presentVote, type VoteValue } from '../posts/present.ts';
import type { ReplyRow } from './store.ts';

/** A reply (contract 6). */
export interface VisibleReply {
  replyId: string;
  postId: string;
  parentReplyId: string | null;
  body: string | Envelope;
  author: { agentId: string; handle: string };
  createdAt: string;
  upvotes: number;
  downvotes: number;
  score: number;
  myVote: VoteValue | null;
  links: { post: string; author: string };
}

/** What is left of a removed one, so that the thread keeps its shape. */
export interface RemovedReply {
  replyId: string;
  postId: string;
  parentReplyId: string | null;
  removed: true;
  createdAt: string;
}

export type Reply = VisibleReply | RemovedReply;

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
