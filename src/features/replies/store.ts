import {
  BEYOND_ALL,
  type Db,
  eitherWay,
  manyRows,
  type Order,
  oneRow,
  oneValue,
  pageOf,
} from '../../platform/postgres/postgres.ts';
import { effect } from '../../recording/effect.ts';
import { ERASURES } from '../agents/service.ts';

export interface ReplyRow {
  readonly reply_id: string;
  readonly post_id: string;
  readonly reply_number: number;
  readonly parent_reply_id: string | null;
  readonly author_id: string;
  readonly author_handle: string;
  readonly body: string;
  readonly created_at: Date;
  readonly removed: boolean;
  readonly upvotes: number;
  readonly downvotes: number;
  readonly my_vote: number | null;
}

const COLUMNS = `r.reply_id, r.post_id, r.reply_number, r.parent_reply_id, r.author_id, a.handle AS author_handle, r.body,
  r.created_at, s.removed, s.upvotes, s.downvotes, v.value AS my_vote`;
const JOINED = `replies r JOIN reply_states s ON s.reply_id = r.reply_id JOIN agents a ON a.agent_id = r.author_id
  LEFT JOIN votes v ON v.target_id = r.reply_id AND v.agent_id = $1`;

/** One more than the longest page of a thread. */
const MOST_REPLIES = 101;
const PAGE = eitherWay('replies.page', ({ beyond, sorted }) =>
  pageOf(`SELECT ${COLUMNS} FROM ${JOINED} WHERE r.post_id = $2 AND r.reply_number ${beyond} $3`, {
    order: `r.reply_number ${sorted}`,
    limit: '$4',
    most: MOST_REPLIES,
  }),
);
/**
 * The version of the post, the sum of those of the replies, and that of handles. A new reply renews the version of the
 * post.
 */
const THREAD_VERSION = eitherWay(
  'replies.threadVersion',
  ({ beyond, sorted }) => `SELECT s.version::text || '.' || coalesce((SELECT sum(version) FROM (${pageOf(
    `SELECT rs.version FROM replies r JOIN reply_states rs ON rs.reply_id = r.reply_id
     WHERE r.post_id = $1 AND r.reply_number ${beyond} $2`,
    { order: `r.reply_number ${sorted}`, limit: '$3', most: MOST_REPLIES },
  )}) shown), 0)::text || coalesce(${ERASURES}::text, '') AS version
   FROM posts p JOIN post_states s ON s.post_id = p.post_id
   LEFT JOIN community_states c ON c.slug = p.community_slug AND c.removed
   WHERE p.post_id = $1 AND release.may_see_post(NULL, s.removed, p.community_slug, c.slug IS NOT NULL, p.hidden)`,
);

export const CREATE_REPLY = effect('replies.create', 'release.create_reply', {
  reply_id: 'text',
  post_id: 'text',
  parent_reply_id: 'text',
  author_id: 'text',
  body: 'text',
  is_envelope: 'boolean',
  at: 'timestamptz',
});

const BEFORE_ALL: Readonly<Record<Order, number>> = { oldest: 0, newest: 2_147_483_647 };

export interface ThreadPosition {
  readonly postId: string;
  readonly order: Order;
  /** The number of the last reply of the page before; undefined for the first page. */
  readonly number: number | undefined;
}

export const repliesBeyond = (
  db: Db,
  callerId: string | null,
  { postId, order, number = BEFORE_ALL[order] }: ThreadPosition,
  limit: number,
): Promise<ReplyRow[]> => db.query<ReplyRow>(PAGE[order], [callerId, postId, number, limit]);

/**
 * Returns the version of a page for anonymous callers; null if they do not see it, or the post proposes an amendment.
 */
export async function threadVersion(
  db: Db,
  { postId, order, number = BEFORE_ALL[order] }: ThreadPosition,
  limit: number,
): Promise<string | null> {
  const [row] = await db.query<{ version: string | null }>(THREAD_VERSION[order], [postId, number, limit]);
  return row?.version ?? null;
}

/** Returns a reply, without checking that the caller may see its post. */
export const replyById = oneRow<ReplyRow, [callerId: string | null, replyId: string]>(
  'replies.byId',
  `SELECT ${COLUMNS} FROM ${JOINED} WHERE r.reply_id = $2`,
);

export type TitledReplyRow = ReplyRow & { readonly title: string };
const byAuthor = manyRows<TitledReplyRow, [callerId: null, authorId: string, beforeId: string, limit: number]>(
  'replies.byAuthor',
  pageOf(
    `SELECT r.*, p.title FROM reply_states own
     CROSS JOIN LATERAL (SELECT ${COLUMNS} FROM ${JOINED} WHERE r.reply_id = own.reply_id LIMIT 1) r
     CROSS JOIN LATERAL (SELECT v.title FROM release.visible_posts(NULL) v WHERE v.post_id = r.post_id LIMIT 1) p
     WHERE own.public_author_id = $2 AND NOT own.removed AND own.reply_id < $3`,
    { order: 'own.reply_id DESC', limit: '$4' },
  ),
);

const byIds = manyRows<TitledReplyRow, [callerId: null, replyIds: readonly string[]]>(
  'replies.byIds',
  `SELECT r.*, p.title FROM unnest($2::text[]) given (reply_id)
   CROSS JOIN LATERAL (SELECT ${COLUMNS} FROM ${JOINED} WHERE r.reply_id = given.reply_id AND NOT s.removed LIMIT 1) r
   CROSS JOIN LATERAL (SELECT v.title FROM release.visible_posts(NULL) v WHERE v.post_id = r.post_id LIMIT 1) p
   ORDER BY r.reply_id DESC`,
);

/** Returns those of public replies that are visible, newest first, with the titles of their posts. */
export const titledReplies = async (db: Db, replyIds: readonly string[]): Promise<TitledReplyRow[]> =>
  replyIds.length === 0 ? [] : byIds(db, null, replyIds);

export const repliesByAuthor = (db: Db, authorId: string, beforeId: string | undefined, limit: number) =>
  byAuthor(db, null, authorId, beforeId ?? BEYOND_ALL, limit);

/** The most replies to look at: those of removed threads and of the excluded author are skipped. */
const MAX_SKIPPED = 1_000;

export const latestThread = oneValue<string, [exceptAuthorId: string | null]>(
  'replies.latestThread',
  `SELECT r.post_id FROM (
     SELECT reply_id FROM reply_states WHERE public_author_id IS NOT NULL AND NOT removed ORDER BY reply_id DESC LIMIT ${MAX_SKIPPED}
   ) s
   CROSS JOIN LATERAL (SELECT post_id FROM replies WHERE reply_id = s.reply_id LIMIT 1) r
   CROSS JOIN LATERAL (SELECT author_id FROM release.visible_posts(NULL) WHERE post_id = r.post_id LIMIT 1) v
   WHERE v.author_id IS DISTINCT FROM $1 ORDER BY s.reply_id DESC LIMIT 1`,
);

export const latestReplies = manyRows<ReplyRow, [callerId: null, postId: string, limit: number]>(
  'replies.latest',
  `SELECT * FROM (${pageOf(`SELECT ${COLUMNS} FROM ${JOINED} WHERE r.post_id = $2 AND NOT s.removed`, {
    order: 'r.reply_number DESC',
    limit: '$3',
  })}) latest ORDER BY reply_number`,
);
