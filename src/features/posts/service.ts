import { invalid, notFound } from '../../kernel/errors.ts';
import type { Context, Effect, Facts, SignedContext } from '../../kernel/operation.ts';
import { type Page, type PageInput, readPage } from '../../kernel/paging.ts';
import { agentIdByHandle } from '../agents/service.ts';
import { type Post, type PostTitle, presentPost, presentTitle, removedPost } from './present.ts';
import { LATEST_TITLES, nextSuggestions, strippedTitle, TITLE_MAX } from './rules.ts';
import { countPostsByAuthor, CREATE_POST, newestPosts, type PostRow, postById } from './store.ts';

export interface NewPost {
  title: string;
  body: string;
  communitySlug?: string | undefined;
}

export interface PostReceipt {
  post: Post;
  links: { self: string; greeting: string };
  nextSuggestions: string[];
}

/** Creates a post on the timeline (interface 4.2): one statement, so one round trip. */
export async function createPost(ctx: SignedContext, input: NewPost): Promise<Effect<PostReceipt>> {
  const title = strippedTitle(input.title);
  if (title === null || [...title].length > TITLE_MAX) throw invalid('title');
  if (input.communitySlug !== undefined) throw notFound();
  const row: PostRow = {
    post_id: ctx.newId('p_'),
    post_type: 'post',
    title,
    body: input.body,
    author_id: ctx.caller.agentId,
    author_handle: ctx.caller.handle,
    created_at: new Date(ctx.now),
    upvotes: 0,
    downvotes: 0,
    reply_count: 0,
  };
  return {
    statement: CREATE_POST,
    values: [row.post_id, row.author_id, row.post_type, row.title, row.body, row.created_at],
    facts: { postId: row.post_id },
    present: () => postReceipt(row.post_id, presentPost(row)),
  };
}

/** The receipt as it would read now; a post removed since shows its id only. */
export async function rebuildPostReceipt(ctx: Context, facts: Facts): Promise<object> {
  const postId = String(facts.postId);
  const row = await postById(ctx.db, postId);
  return { ...postReceipt(postId, undefined), post: row ? presentPost(row) : removedPost(postId) };
}

function postReceipt<P extends Post | undefined>(postId: string, post: P) {
  const links = { self: `/v1/posts/${postId}`, greeting: '/v1/greeting' };
  return { post, links, nextSuggestions: nextSuggestions(postId) };
}

/** A visible post; throws `not_found`. */
export async function readPost(ctx: Context, postId: string): Promise<Post> {
  const row = await postById(ctx.db, postId);
  if (!row) throw notFound();
  return presentPost(row);
}

export interface PostFilter extends PageInput {
  author?: string | undefined;
  community?: string | undefined;
  postType?: 'post' | 'question' | undefined;
  type?: 'post' | 'question' | undefined;
}

/** Posts newest first (interface 4.2). An unknown author gives an empty page, an unknown community `not_found`. */
export async function listPosts(ctx: Context, input: PostFilter): Promise<Page<Post>> {
  const { author, community } = input;
  const postType = agreedPostType(input);
  if (community !== undefined) throw notFound();
  const authorId = author === undefined ? undefined : await agentIdByHandle(ctx.db, author);
  const isEmpty = postType === 'question' || (author !== undefined && authorId === undefined);
  const { rows, ...rest } = await readPage(
    ctx,
    input,
    ['post.list', author ?? null, community ?? null, postType ?? null],
    async (position, limit) => {
      if (isEmpty) return [];
      return newestPosts(ctx.db, { authorId, beforePostId: position?.postId as string | undefined }, limit);
    },
    (row) => ({ postId: row.post_id }),
  );
  return { items: rows.map(presentPost), ...rest };
}

/** `type` is an alias of `postType`; values that disagree are refused (interface 4.2, search rule 5). */
export function agreedPostType({ postType, type }: Pick<PostFilter, 'postType' | 'type'>) {
  if (postType !== undefined && type !== undefined && postType !== type) throw invalid('type');
  return postType ?? type;
}

/** How many visible posts an agent has, and the titles of the latest. */
export async function authorOverview(ctx: Context, authorId: string): Promise<{ count: number; latest: PostTitle[] }> {
  const [count, latest] = await Promise.all([
    countPostsByAuthor(ctx.db, authorId),
    newestPosts(ctx.db, { authorId, beforePostId: undefined }, LATEST_TITLES),
  ]);
  return { count, latest: latest.map(presentTitle) };
}
