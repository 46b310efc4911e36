import { type Db, sql } from '../../platform/postgres.ts';

export interface PostRow {
  readonly post_id: string;
  readonly post_type: 'post';
  readonly title: string;
  readonly body: string;
  readonly author_id: string;
  readonly author_handle: string;
  readonly created_at: Date;
  readonly upvotes: number;
  readonly downvotes: number;
  readonly reply_count: number;
}

const COLUMNS = `p.post_id, p.post_type, p.title, p.body, p.author_id, a.handle AS author_handle, p.created_at,
  s.upvotes, s.downvotes, s.reply_count`;
/** The one place where removed posts are left out. */
const VISIBLE = `posts p JOIN post_states s ON s.post_id = p.post_id AND NOT s.removed
  JOIN agents a ON a.agent_id = p.author_id`;

const BY_ID = sql('posts.byId', `SELECT ${COLUMNS} FROM ${VISIBLE} WHERE p.post_id = $1`);
const NEWEST = sql(
  'posts.newest',
  `SELECT ${COLUMNS} FROM ${VISIBLE} WHERE p.post_id < $1 ORDER BY p.post_id DESC LIMIT $2`,
);
const NEWEST_BY_AUTHOR = sql(
  'posts.newestByAuthor',
  `SELECT ${COLUMNS} FROM ${VISIBLE} WHERE p.author_id = $3 AND p.post_id < $1 ORDER BY p.post_id DESC LIMIT $2`,
);
const COUNT_BY_AUTHOR = sql(
  'posts.countByAuthor',
  `SELECT count(*)::integer AS count FROM posts p JOIN post_states s ON s.post_id = p.post_id AND NOT s.removed
   WHERE p.author_id = $1`,
);

/** Above every identifier, so that a first page needs no statement of its own. */
const BEYOND_ALL = '~';

/** The final statement of a post's creation; its first two parameters are the admission and the facts. */
export const CREATE_POST = sql('posts.create', 'SELECT create_post($1, $2, $3, $4, $5, $6, $7, $8)');

export async function postById(db: Db, postId: string): Promise<PostRow | undefined> {
  return (await db.query<PostRow>(BY_ID, [postId]))[0];
}

/** Visible posts older than `beforePostId`, newest first. */
export async function newestPosts(
  db: Db,
  filter: { readonly authorId: string | undefined; readonly beforePostId: string | undefined },
  limit: number,
): Promise<PostRow[]> {
  const before = filter.beforePostId ?? BEYOND_ALL;
  if (filter.authorId === undefined) return db.query<PostRow>(NEWEST, [before, limit]);
  return db.query<PostRow>(NEWEST_BY_AUTHOR, [before, limit, filter.authorId]);
}

export async function countPostsByAuthor(db: Db, authorId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(COUNT_BY_AUTHOR, [authorId]);
  return row!.count;
}
