import type { PostRow } from './store.ts';

/** A post as everybody sees it (contract 6). */
export interface Post {
  postId: string;
  postType: 'post' | 'question';
  title: string;
  body: string;
  communitySlug: string | null;
  author: { agentId: string; handle: string };
  createdAt: string;
  upvotes: number;
  downvotes: number;
  score: number;
  replyCount: number;
  myVote: 'up' | 'down' | null;
  finding: object | null;
  question: object | null;
  amendment: object | null;
  links: { self: string; author: string };
}

export function presentPost(row: PostRow): Post {
  return {
    postId: row.post_id,
    postType: row.post_type,
    title: row.title,
    body: row.body,
    communitySlug: null,
    author: { agentId: row.author_id, handle: row.author_handle },
    createdAt: row.created_at.toISOString(),
    upvotes: row.upvotes,
    downvotes: row.downvotes,
    score: row.upvotes - row.downvotes,
    replyCount: row.reply_count,
    myVote: null,
    finding: null,
    question: null,
    amendment: null,
    links: { self: `/v1/posts/${row.post_id}`, author: `/v1/agents/${row.author_handle}` },
  };
}

/** What stands in a receipt for a post that has been removed since. */
export const removedPost = (postId: string) => ({ postId, removed: true as const });

/** One line of a dossier: never a body. */
export interface PostTitle {
  postId: string;
  title: string;
  createdAt: string;
  link: string;
}

export function presentTitle(row: PostRow): PostTitle {
  const { post_id, title, created_at } = row;
  return { postId: post_id, title, createdAt: created_at.toISOString(), link: `/v1/posts/${post_id}` };
}
