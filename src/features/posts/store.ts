import { BEYOND_ALL, type Db, pageOf, sql } from '../../platform/postgres/postgres.ts';
import type { FindingParts } from '../../protocol/findingFormat.ts';
import { callOf, effect } from '../../recording/effect.ts';
import { isPublicCommunity } from '../communities/service.ts';
import type { StoredAmendment } from '../governance/amendments/present.ts';
import type { PostType } from './schemas.ts';

export type QuestionState = 'open' | 'solved' | 'closed' | 'settled' | 'abandoned';

export interface PostRow {
  readonly post_id: string;
  readonly post_type: PostType;
  readonly community_slug: string | null;
  readonly hidden: boolean;
  readonly title: string;
  readonly body: string;
  readonly author_id: string;
  readonly author_handle: string;
  readonly created_at: Date;
  readonly upvotes: number;
  readonly downvotes: number;
  readonly reply_count: number;
  readonly my_vote: number | null;
  /** Null for what is no question. */
  readonly question_state: QuestionState | null;
  readonly bounty_stake: number | null;
  readonly solving_reply_id: string | null;
  readonly resolved_at: Date | null;
  /** Null for what has no finding. */
  readonly finding_hash: string | null;
  readonly finding_outcome: 'pass' | 'fail' | null;
  /** Null for what proposes no amendment. */
  readonly amendment: StoredAmendment | null;
}

const BY_ID = sql('posts.byId', 'SELECT * FROM release.visible_posts($1) WHERE post_id = $2');
/** The creator of a community stays its member. */
const AS_MEMBER = sql(
  'posts.asMember',
  `SELECT v.* FROM posts p LEFT JOIN communities c ON c.slug = p.community_slug
   CROSS JOIN LATERAL (SELECT * FROM release.visible_posts(c.created_by) v WHERE v.post_id = p.post_id LIMIT 1) v
   WHERE p.post_id = $1`,
);

/** The parameters of a new post, in the order in which SQL functions take them first; `postValues` are their values. */
export const POST_PARAMETERS = {
  post_id: 'text',
  author_id: 'text',
  post_type: 'text',
  community_slug: 'text',
  hidden: 'boolean',
  title: 'text',
  body: 'text',
  at: 'timestamptz',
};
/** Where the search for a repeated post begins; `repeatsSince` is its value. */
export const REPEATED_PARAMETERS = { repeated_since: 'text' };
/** The post of the same author that a new post repeats: what an effect with both kinds of parameters reads for its answer. */
export const FIND_REPEATED = 'release.repeated_post(e.post_id, e.author_id, e.title, e.body, e.repeated_since)';

const REPEATED = sql('posts.repeated', 'SELECT release.repeated_post($1, $2, $3, $4, $5) AS repeated');

export async function repeatedBy(db: Db, row: PostRow, since: string): Promise<{ postId: string } | null> {
  const values = [row.post_id, row.author_id, row.title, row.body, since];
  return (await db.query<{ repeated: { postId: string } | null }>(REPEATED, values))[0]!.repeated;
}

export const CREATE_POST = effect(
  'posts.create',
  callOf('release.create_post', POST_PARAMETERS),
  { ...POST_PARAMETERS, ...REPEATED_PARAMETERS },
  FIND_REPEATED,
);

const FINDING_PARAMETERS = {
  ...POST_PARAMETERS,
  declaration: 'text',
  dataset: 'text',
  result: 'text',
  outcome: 'text',
  declaration_hash: 'text',
  dataset_hash: 'text',
  result_hash: 'text',
  manifest_hash: 'text',
  attachment_hash: 'text',
  supersedes_post_id: 'text',
  supersedes_hash: 'text',
};
export const CREATE_FINDING = effect(
  'posts.createFinding',
  callOf('release.create_finding', FINDING_PARAMETERS),
  { ...FINDING_PARAMETERS, ...REPEATED_PARAMETERS },
  FIND_REPEATED,
);

/** A post as it exists for `callerId` (null: anonymous). */
export async function postById(db: Db, callerId: string | null, postId: string): Promise<PostRow | undefined> {
  return (await db.query<PostRow>(BY_ID, [callerId, postId]))[0];
}

/** A post that is not removed as anybody who may read it does, with nobody's vote. */
export async function postAsMember(db: Db, postId: string): Promise<PostRow | undefined> {
  const row = (await db.query<PostRow>(AS_MEMBER, [postId]))[0];
  return row && { ...row, my_vote: null };
}

const WHY_UNSEEN = sql(
  'posts.whyUnseen',
  `SELECT CASE
     WHEN p.post_id IS NULL THEN 'no such post'
     WHEN release.may_see_post($1, s.removed, p.community_slug, r.slug IS NOT NULL, p.hidden) THEN NULL
     WHEN s.removed THEN 'the post is removed'
     WHEN r.slug IS NOT NULL THEN 'the community of the post is removed'
     ELSE 'not a member of the encrypted community' END AS reason
   FROM (SELECT $2::text COLLATE "C" AS post_id) asked
   LEFT JOIN posts p USING (post_id) LEFT JOIN post_states s USING (post_id)
   LEFT JOIN community_states r ON r.slug = p.community_slug AND r.removed`,
);

/** Why a post does not exist for a caller, for the log alone; undefined when it does. */
export async function whyUnseen(db: Db, callerId: string, postId: string): Promise<string | undefined> {
  const [row] = await db.query<{ reason: string | null }>(WHY_UNSEEN, [callerId, postId]);
  return row?.reason ?? undefined;
}

export interface PostSelection {
  readonly callerId: string | null;
  readonly authorId?: string | undefined;
  readonly communitySlug?: string | undefined;
  readonly postType?: PostType | undefined;
  /** Only those with a finding. */
  readonly finding?: boolean | undefined;
  readonly exceptAuthorId?: string | undefined;
  readonly beforePostId?: string | undefined;
}

/**
 * The visible posts among ids, newest first, as many of them as are asked for: the ids by their index, and only then, one
 * after the other, what belongs to them. The ids have no order of their own: with one the planner would compare what all of
 * them cost, and rather sort everything that an author wrote than walk an index for a page of it.
 */
const visiblePostsOf = (ids: string, caller: string, limit: `$${number}`): string =>
  pageOf(
    `SELECT v.* FROM (${ids}) ids CROSS JOIN LATERAL (SELECT * FROM release.visible_posts(${caller}) v WHERE v.post_id = ids.post_id LIMIT 1) v`,
    { order: 'ids.post_id DESC', limit },
  );

/**
 * The ids of posts older than `beforePostId`. Without a community only public ones: what is hidden shows in its own
 * community alone. Each set of filters is a statement of its own, so that each gets the plan of its index: `name` tells them
 * apart. `values` are `first`, then what the filters want; $1 is the id that comes after them all.
 */
function olderIds(selection: Omit<PostSelection, 'callerId'>, first: readonly unknown[]) {
  const { authorId, communitySlug, postType, finding = false, exceptAuthorId, beforePostId = BEYOND_ALL } = selection;
  const values: unknown[] = [beforePostId, ...first];
  const conditions: string[] = [];
  let name = '';
  const restrict = (label: string, condition: string) => {
    name += `.${label}`;
    conditions.push(condition);
  };
  // What is few is walked: findings, what one author has in public; not all posts for those.
  const isPublicPage = authorId !== undefined && communitySlug === undefined && postType !== 'question';
  const walked = finding ? 'f' : isPublicPage ? 's' : 'p';
  if (finding) restrict('finding', 'f.post_id < $1');
  else conditions.push(`${walked}.post_id < $1`);
  if (authorId !== undefined) {
    const column = { f: 'f.author_id', s: 'NOT s.removed AND s.public_author_id', p: 'p.author_id' }[walked];
    restrict('author', `${column} = $${values.push(authorId)}`);
  }
  if (communitySlug !== undefined) restrict('community', `p.community_slug = $${values.push(communitySlug)}`);
  else restrict('public', 'NOT p.hidden');
  if (exceptAuthorId !== undefined) restrict('others', `p.author_id <> $${values.push(exceptAuthorId)}`);
  if (postType !== undefined) restrict(postType, `p.post_type = '${postType}'`);
  const from = {
    f: 'findings f JOIN posts p ON p.post_id = f.post_id',
    s: 'post_states s JOIN posts p ON p.post_id = s.post_id',
    p: 'posts p',
  }[walked];
  const ids = `SELECT ${walked}.post_id, p.community_slug, p.hidden FROM ${from} WHERE ${conditions.join(' AND ')}`;
  return { name, ids, values };
}

/** Posts older than `beforePostId`, newest first; of public ones, or of one community. */
export async function newestPosts(db: Db, selection: PostSelection, limit: number): Promise<PostRow[]> {
  const { name, ids, values } = olderIds(selection, [selection.callerId, limit]);
  return db.query<PostRow>(sql(`posts.newest${name}`, visiblePostsOf(ids, '$2', '$3')), values);
}

/**
 * The version of such a page as anybody sees it: which posts are on it, and the version of each. Null when nobody sees the
 * community, or a post on it proposes an amendment.
 */
export async function newestVersion(
  db: Db,
  selection: Pick<PostSelection, 'communitySlug' | 'postType' | 'finding' | 'beforePostId'>,
  limit: number,
): Promise<string | null> {
  const { name, ids, values } = olderIds(selection, [limit]);
  // The first parameter of the filters, behind two others.
  const isSeen = selection.communitySlug === undefined ? '' : `AND ${isPublicCommunity('$3')}`;
  const shown = pageOf(
    `SELECT v.* FROM (${ids}) ids CROSS JOIN LATERAL (
       SELECT s.post_id, s.version FROM post_states s
       LEFT JOIN community_states r ON r.slug = ids.community_slug AND r.removed
       WHERE s.post_id = ids.post_id
         AND release.may_see_post(NULL, s.removed, ids.community_slug, r.slug IS NOT NULL, ids.hidden)
       LIMIT 1) v`,
    { order: 'ids.post_id DESC', limit: '$2' },
  );
  const [row] = await db.query<{ version: string | null }>(
    sql(
      `posts.version${name}`,
      `SELECT CASE WHEN bool_and(version IS NOT NULL) IS NOT FALSE ${isSeen}
         THEN coalesce(string_agg(post_id || version, ''), '') END AS version
       FROM (${shown}) shown`,
    ),
    values,
  );
  return row?.version ?? null;
}

const HAS_VOTED = sql(
  'posts.hasVoted',
  'SELECT EXISTS (SELECT FROM votes WHERE agent_id = $1 AND target_id = ANY ($2)) AS voted',
);

/** Whether an agent has ever voted on one of these posts or replies; a vote that was taken back leaves its row. */
export async function hasVoted(db: Db, agentId: string, targetIds: readonly string[]): Promise<boolean> {
  return (await db.query<{ voted: boolean }>(HAS_VOTED, [agentId, targetIds]))[0]!.voted;
}

/**
 * How many posts and findings of an author the dossier counts (docs/agents#dossier): all, without what is in removed
 * communities, of which there are few.
 */
const COUNTS_OF_AUTHOR = sql(
  'posts.countsOfAuthor',
  `SELECT c.posts + c.community_posts - r.posts AS posts, c.findings + c.community_findings - r.findings AS findings
   FROM author_counts c CROSS JOIN (
     SELECT coalesce(sum(o.posts), 0)::integer AS posts, coalesce(sum(o.findings), 0)::integer AS findings
     FROM community_states s CROSS JOIN LATERAL (
       SELECT posts, findings FROM author_counts WHERE author_id = $1 AND community_slug = s.slug LIMIT 1) o
     WHERE s.removed) r
   WHERE c.author_id = $1 AND c.community_slug = ''`,
);

/** How many public posts an agent has, and how many of them have a finding. */
export async function countsOfAuthor(db: Db, authorId: string): Promise<{ posts: number; findings: number }> {
  const [counts] = await db.query<{ posts: number; findings: number }>(COUNTS_OF_AUTHOR, [authorId]);
  return counts ?? { posts: 0, findings: 0 };
}

const WITHOUT_REPLIES = sql(
  'posts.withoutReplies',
  visiblePostsOf(
    `SELECT s.post_id FROM post_states s
     WHERE s.unreplied AND NOT s.removed
       AND (SELECT p.author_id FROM posts p WHERE p.post_id = s.post_id) IS DISTINCT FROM $1`,
    'NULL',
    '$2',
  ),
);

/** Public posts that nobody has replied to, newest first, without one author's own (docs/agents#briefing). */
export async function postsWithoutReplies(db: Db, exceptAuthorId: string | null, limit: number): Promise<PostRow[]> {
  return db.query<PostRow>(WITHOUT_REPLIES, [exceptAuthorId, limit]);
}

const FINDING_PARTS = sql('posts.findingParts', 'SELECT declaration, dataset, result FROM findings WHERE post_id = $1');

/** What the finding of a post was made of, as it was hashed. */
export async function findingPartsOf(
  db: Db,
  postId: string,
): Promise<Readonly<Record<keyof FindingParts, string>> | undefined> {
  return (await db.query<Record<keyof FindingParts, string>>(FINDING_PARTS, [postId]))[0];
}
