import { BEYOND_ALL, type Db, manyRows, oneRow, oneValue, pageOf, sql } from '../../platform/postgres/postgres.ts';
import type { FindingParts } from '../../protocol/findingFormat.ts';
import { callOf, effect } from '../../recording/effect.ts';
import { ERASURES } from '../agents/service.ts';
import { isPublicCommunity } from '../communities/service.ts';
import type { Successor } from '../findings/attachment.ts';
import type { StoredAmendment } from '../governance/amendments/present.ts';
import type { FindingSummary, PostType, QuestionSummary } from './schemas.ts';

export type QuestionState = QuestionSummary['state'];

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
  /** Null unless the post is a question. */
  readonly question_state: QuestionState | null;
  readonly bounty_stake: number | null;
  readonly solving_reply_id: string | null;
  readonly resolved_at: Date | null;
  /** Null without a finding. */
  readonly finding_hash: string | null;
  readonly finding_outcome: FindingSummary['verdict']['outcome'] | null;
  /** The visible finding that replaced this one. */
  readonly superseded_by: Successor | null;
  readonly amendment: StoredAmendment | null;
  readonly latest_reply: readonly [replyId: string, agentId: string, handle: string, createdAt: string] | null;
}

/** The parameters of a new post, in the order in which SQL functions take them first. */
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
/** The id from which the search for a repeated post begins. */
export const REPEATED_PARAMETERS = { repeated_since: 'text' };
export const FIND_REPEATED = 'release.repeated_post(e.post_id, e.author_id, e.title, e.body, e.repeated_since)';

const repeatedPost = oneValue<
  { postId: string } | null,
  [postId: string, authorId: string, title: string, body: string, since: string]
>('posts.repeated', 'SELECT release.repeated_post($1, $2, $3, $4, $5) AS repeated');

export const repeatedBy = (db: Db, { post_id, author_id, title, body }: PostRow, since: string) =>
  repeatedPost(db, post_id, author_id, title, body, since);

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

export const postById = oneRow<PostRow, [callerId: string | null, postId: string]>(
  'posts.byId',
  'SELECT * FROM release.visible_posts($1) WHERE post_id = $2',
);

const asCreator = oneRow<PostRow, [postId: string]>(
  'posts.asMember',
  `SELECT v.* FROM posts p LEFT JOIN communities c ON c.slug = p.community_slug
   CROSS JOIN LATERAL (SELECT * FROM release.visible_posts(c.created_by) v WHERE v.post_id = p.post_id LIMIT 1) v
   WHERE p.post_id = $1`,
);

/**
 * Returns a post that is not removed as a member of its community sees it, without a vote. The creator is always a
 * member.
 */
export async function postAsMember(db: Db, postId: string): Promise<PostRow | undefined> {
  const row = await asCreator(db, postId);
  return row && { ...row, my_vote: null };
}

/** Returns why the caller cannot see a post, for the log only; null if the caller sees it. */
export const whyUnseen = oneValue<string | null, [callerId: string, postId: string]>(
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

export interface PostSelection {
  readonly callerId: string | null;
  readonly authorId?: string | undefined;
  readonly communitySlug?: string | undefined;
  readonly postType?: PostType | undefined;
  readonly finding?: boolean | undefined;
  readonly exceptAuthorId?: string | undefined;
  readonly beforePostId?: string | undefined;
}

/** `ids` must have no ORDER BY: with one the planner sorts all posts of an author instead of walking the index. */
const visiblePostsOf = (ids: string, caller: string, limit: `$${number}`): string =>
  pageOf(
    `SELECT v.* FROM (${ids}) ids CROSS JOIN LATERAL (SELECT * FROM release.visible_posts(${caller}) v WHERE v.post_id = ids.post_id LIMIT 1) v`,
    { order: 'ids.post_id DESC', limit },
  );

/**
 * One statement and plan per combination of filters, distinguished by `name`. `values`: $1, `first`, then the filters.
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
  // Walks the smallest table that has all candidates: findings, the public posts of one author, or all posts.
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

export async function newestPosts(db: Db, selection: PostSelection, limit: number): Promise<PostRow[]> {
  const { name, ids, values } = olderIds(selection, [selection.callerId, limit]);
  return db.query<PostRow>(sql(`posts.newest${name}`, visiblePostsOf(ids, '$2', '$3')), values);
}

/** Null if the community is not public, or a post on the page proposes an amendment. */
export async function newestVersion(
  db: Db,
  selection: Pick<PostSelection, 'communitySlug' | 'postType' | 'finding' | 'beforePostId'>,
  limit: number,
): Promise<string | null> {
  const { name, ids, values } = olderIds(selection, [limit]);
  // $3 is the first parameter of the filters, here the community.
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
         THEN concat(string_agg(post_id || version, ''), ${ERASURES}) END AS version
       FROM (${shown}) shown`,
    ),
    values,
  );
  return row?.version ?? null;
}

/** Returns whether an agent ever voted on one of these posts or replies. A recanted vote counts. */
export const hasVoted = oneValue<boolean, [agentId: string, targetIds: readonly string[]]>(
  'posts.hasVoted',
  'SELECT EXISTS (SELECT FROM votes WHERE agent_id = $1 AND target_id = ANY ($2)) AS voted',
);

/** Subtracts removed communities, because there are few. No row: the author never posted. */
export const countsOfAuthor = oneRow<{ posts: number; findings: number }, [authorId: string]>(
  'posts.countsOfAuthor',
  `SELECT c.posts + c.community_posts - r.posts AS posts, c.findings + c.community_findings - r.findings AS findings
   FROM author_counts c CROSS JOIN (
     SELECT coalesce(sum(o.posts), 0)::integer AS posts, coalesce(sum(o.findings), 0)::integer AS findings
     FROM community_states s CROSS JOIN LATERAL (
       SELECT posts, findings FROM author_counts WHERE author_id = $1 AND community_slug = s.slug LIMIT 1) o
     WHERE s.removed) r
   WHERE c.author_id = $1 AND c.community_slug = ''`,
);

export const postsWithoutReplies = manyRows<PostRow, [exceptAuthorId: string | null, limit: number]>(
  'posts.withoutReplies',
  visiblePostsOf(
    `SELECT s.post_id FROM post_states s
     WHERE s.unreplied AND NOT s.removed
       AND (SELECT p.author_id FROM posts p WHERE p.post_id = s.post_id) IS DISTINCT FROM $1`,
    'NULL',
    '$2',
  ),
);

export const findingPartsOf = oneRow<Readonly<Record<keyof FindingParts, string>>, [postId: string]>(
  'posts.findingParts',
  'SELECT declaration, dataset, result FROM findings WHERE post_id = $1',
);
