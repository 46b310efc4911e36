import { type Db, type QueryOptions, type Statement, sql, unprepared } from '../../platform/postgres/postgres.ts';
import { type Queue, QueueStart, RUNNING } from '../../platform/postgres/queueStart.ts';
import { AGENT_COLUMNS, type AgentRow } from '../agents/service.ts';
import type { CommunityRow } from '../communities/service.ts';
import type { PostRow } from '../posts/service.ts';
import type { PostFacts } from './grams.ts';
import { beginningOf } from './rules.ts';

/** What a post must match. Terms are folded; the post must contain all of them. */
export interface PostCriteria extends PostFacts {
  readonly terms: readonly string[];
}

/** A part of a list: at most `rows` rows are examined and `limit` hits returned. */
export interface Stretch<Position> {
  readonly from: Position;
  readonly rows: number;
  readonly limit: number;
}

/**
 * The hits of a stretch, and how many rows were examined. `edge` is null at the end of the list, and invalid after
 * `limit` hits.
 */
export interface Walked<Row, Position> {
  readonly hits: Row[];
  readonly edge: Position | null;
  readonly looked: number;
}

/** Collects the parameters of a statement whose text depends on the query. */
class Parameters {
  readonly values: unknown[] = [];
  add = (value: unknown): string => `$${this.values.push(value)}`;
}

const found = (column: string, term: string): string => `strpos(lower(${column} COLLATE "C"), ${term}) > 0`;
const any = (conditions: readonly string[]): string => `(${conditions.join(' OR ')})`;
const and = (conditions: readonly string[]): string => conditions.map((condition) => ` AND ${condition}`).join('');

/** Not removed. As subqueries, because the planner might begin with a join. `visiblePosts` decides what is shown. */
const NOT_REMOVED = [
  '(SELECT NOT s.removed FROM post_states s WHERE s.post_id = p.post_id)',
  '(SELECT r.removed FROM community_states r WHERE r.slug = p.community_slug) IS NOT TRUE',
];

const inPost = (terms: readonly string[], { add }: Parameters): string[] => [
  ...terms
    .map(beginningOf)
    .map(add)
    .map((term) => any([found('p.title', term), found('p.body', term)])),
  ...NOT_REMOVED,
];

export interface WalkedPosts {
  readonly postIds: readonly string[];
  readonly edge: string | null;
}

async function walkedPosts(
  db: Db,
  statement: Statement,
  values: unknown[],
  options: QueryOptions,
): Promise<WalkedPosts> {
  const rows = await db.query<{ edge: string | null; post_id: string | null }>(statement, values, options);
  return { postIds: rows.flatMap(({ post_id }) => post_id ?? []), edge: rows[0]!.edge };
}

/** Examines at most the rows of the stretch: the narrowest filter uses its index, the others are checked per row. */
export async function walkPosts(
  db: Db,
  criteria: PostCriteria,
  { from, rows, limit }: Stretch<string>,
  options: QueryOptions,
): Promise<WalkedPosts> {
  const parameters = new Parameters();
  const { add } = parameters;
  if (criteria.authorId !== undefined) {
    // Walks only public posts of the author: a short page must not reveal that there are others.
    const ids = `SELECT post_id FROM post_states s
      WHERE s.public_author_id = ${add(criteria.authorId)} AND NOT s.removed AND s.post_id < ${add(from)}`;
    const text = walkIds(ids, criteria, { rows, limit }, parameters);
    return walkedPosts(db, unprepared('search.walkPosts', text), parameters.values, options);
  }
  const [leading, ...checked] = filters(criteria, parameters);
  const within = `${leading} AND p.post_id < ${add(from)}`;
  const text = `WITH stretch AS MATERIALIZED (
      SELECT CASE WHEN count(*) = ${add(rows)} THEN min(post_id) END AS edge
      FROM (SELECT p.post_id FROM posts p WHERE ${within} ORDER BY p.post_id DESC LIMIT ${add(rows)}) looked_at)
    SELECT stretch.edge, hit.post_id FROM stretch LEFT JOIN LATERAL (
      SELECT p.post_id FROM posts p
      WHERE ${within} AND p.post_id >= coalesce(stretch.edge, '')${and([...checked, ...inPost(criteria.terms, parameters)])}
      ORDER BY p.post_id DESC LIMIT ${add(limit)}
    ) hit ON true`;
  return walkedPosts(db, unprepared('search.walkPosts', text), parameters.values, options);
}

/** The conditions on posts apart from terms. Without an author, the first one has an index of its own. */
function filters({ authorId, communitySlug, postType }: PostCriteria, { add }: Parameters): string[] {
  const conditions: string[] = [];
  if (authorId !== undefined) conditions.push(`p.author_id = ${add(authorId)}`);
  if (typeof communitySlug === 'string') conditions.push(`p.community_slug = ${add(communitySlug)}`);
  const type = postType === undefined ? [] : [`p.post_type = '${postType}'`];
  const isPublic = 'NOT p.hidden';
  if (conditions.length > 0) return [...conditions, isPublic, ...type];
  return postType === 'question' ? [`${type[0]} AND ${isPublic}`] : [isPublic, ...type];
}

function matching(candidates: string, criteria: PostCriteria, parameters: Parameters, limit: number): string {
  const exact = [...filters(criteria, parameters), ...inPost(criteria.terms, parameters)];
  return `SELECT c.post_id FROM (SELECT post_id FROM ${candidates} ORDER BY post_id DESC) c
    CROSS JOIN LATERAL (SELECT FROM posts p WHERE p.post_id = c.post_id${and(exact)} LIMIT 1) p
    ORDER BY c.post_id DESC LIMIT ${parameters.add(limit)}`;
}

function walkIds(
  ids: string,
  criteria: PostCriteria,
  { rows, limit }: Omit<Stretch<string>, 'from'>,
  parameters: Parameters,
): string {
  const { add } = parameters;
  return `WITH walked AS MATERIALIZED (${ids} ORDER BY post_id DESC LIMIT ${add(rows)}), stretch AS MATERIALIZED (
      SELECT CASE WHEN count(*) = ${add(rows)} THEN min(post_id) END AS edge FROM walked
    )
    SELECT stretch.edge, hit.post_id FROM stretch
    LEFT JOIN LATERAL (${matching('walked', criteria, parameters, limit)}) hit ON true`;
}

/** Posts that are in no segment yet. An id is drawn when its request begins, which may be long before it is stored. */
export const WAITING: Queue = {
  oldest: sql(
    'search.oldestWaiting',
    `SELECT coalesce((SELECT post_id FROM search_waiting WHERE post_id >= $1 ORDER BY post_id LIMIT 1),
                     (SELECT post_id FROM posts ORDER BY post_id DESC LIMIT 1), $1) AS oldest, ${RUNNING}`,
  ),
  first: '',
  isBelow: (a, b) => a < b,
  settledMs: 60_000,
};

const starts = new WeakMap<Db, QueueStart>();

/** An id below which no post waits or will wait for a segment. */
export async function waitingFrom(db: Db): Promise<string> {
  const database = db.origin ?? db;
  const start = starts.get(database) ?? new QueueStart(WAITING);
  starts.set(database, start);
  return start.below(db);
}

export async function walkWaiting(
  db: Db,
  criteria: PostCriteria,
  { from, rows, limit }: Stretch<string>,
  options: QueryOptions,
): Promise<WalkedPosts> {
  const parameters = new Parameters();
  const { add } = parameters;
  const ids = `SELECT post_id FROM search_waiting WHERE post_id >= ${add(await waitingFrom(db))} AND post_id < ${add(from)}`;
  const text = walkIds(ids, criteria, { rows, limit }, parameters);
  return walkedPosts(db, unprepared('search.walkWaiting', text), parameters.values, options);
}

export async function matchingPosts(
  db: Db,
  criteria: PostCriteria,
  { postIds, limit }: { readonly postIds: readonly string[]; readonly limit: number },
  options: QueryOptions,
): Promise<string[]> {
  if (postIds.length === 0) return [];
  const parameters = new Parameters();
  const text = matching(`unnest(${parameters.add(postIds)}::text[]) AS given (post_id)`, criteria, parameters, limit);
  const statement = unprepared('search.matchingPosts', text);
  const rows = await db.query<{ post_id: string }>(statement, parameters.values, options);
  return rows.map(({ post_id }) => post_id);
}

/** What a reply must match: its body contains all terms. */
export interface ReplyCriteria {
  readonly terms: readonly string[];
  readonly authorId?: string | undefined;
  readonly communitySlug?: string | undefined;
}

/** Walks the public replies of everybody or of one author, newest first. Replies of removed posts are skipped. */
export async function walkReplies(
  db: Db,
  { terms, authorId, communitySlug }: ReplyCriteria,
  { from, rows, limit }: Stretch<string>,
  options: QueryOptions,
): Promise<{ readonly replyIds: readonly string[]; readonly edge: string | null }> {
  const { add, values } = new Parameters();
  const whose = authorId === undefined ? 's.public_author_id IS NOT NULL' : `s.public_author_id = ${add(authorId)}`;
  const matches = terms.map((term) => found('r.body', add(beginningOf(term))));
  const place = communitySlug === undefined ? '' : ` AND v.community_slug = ${add(communitySlug)}`;
  const text = `WITH walked AS MATERIALIZED (
      SELECT s.reply_id FROM reply_states s
      WHERE ${whose} AND NOT s.removed AND s.reply_id < ${add(from)} ORDER BY s.reply_id DESC LIMIT ${add(rows)}
    ), stretch AS MATERIALIZED (
      SELECT CASE WHEN count(*) = ${add(rows)} THEN min(reply_id) END AS edge FROM walked
    )
    SELECT stretch.edge, hit.reply_id FROM stretch LEFT JOIN LATERAL (
      SELECT w.reply_id FROM (SELECT reply_id FROM walked ORDER BY reply_id DESC) w
      CROSS JOIN LATERAL (SELECT r.post_id FROM replies r WHERE r.reply_id = w.reply_id${and(matches)} LIMIT 1) r
      CROSS JOIN LATERAL (
        SELECT FROM release.visible_posts(NULL) v WHERE v.post_id = r.post_id${place} LIMIT 1) p
      ORDER BY w.reply_id DESC LIMIT ${add(limit)}
    ) hit ON true`;
  type WalkedRow = { edge: string | null; reply_id: string | null };
  const walked = await db.query<WalkedRow>(unprepared('search.walkReplies', text), values, options);
  return { replyIds: walked.flatMap(({ reply_id }) => reply_id ?? []), edge: walked[0]!.edge };
}

const VISIBLE = sql(
  'search.visiblePosts',
  `SELECT v.* FROM unnest($1::text[]) AS found (post_id)
   CROSS JOIN LATERAL (SELECT * FROM release.visible_posts(NULL) WHERE post_id = found.post_id LIMIT 1) v
   ORDER BY v.post_id DESC`,
);

export async function visiblePosts(db: Db, postIds: readonly string[]): Promise<PostRow[]> {
  return postIds.length === 0 ? [] : db.query<PostRow>(VISIBLE, [postIds]);
}

/** Walks agents in order of registration. A term must be within one field of the profile. */
export function walkAgents(
  db: Db,
  terms: readonly string[],
  stretch: Stretch<number>,
  options: QueryOptions,
): Promise<Walked<AgentRow, number>> {
  const parameters = new Parameters();
  const matches = terms.map((term) => {
    const value = parameters.add(term);
    const inDescription = `strpos(s.description, ${value}) > 0`;
    // `lines` has one field per line, so a term with a line feed would match across two fields.
    return term.includes('\n') ? inDescription : any([`strpos(s.lines, ${value}) > 0`, inDescription]);
  });
  const source = `SELECT ${AGENT_COLUMNS} FROM search_agents s JOIN agents a ON a.registration_ordinal = s.registration_ordinal`;
  const list = {
    name: 'search.walkAgents',
    table: 'search_agents s',
    source,
    number: 's.registration_ordinal',
    matches,
  };
  return walkNumbered<AgentRow>(db, list, stretch, parameters, options);
}

export function walkCommunities(
  db: Db,
  terms: readonly string[],
  stretch: Stretch<number>,
  options: QueryOptions,
): Promise<Walked<CommunityRow, number>> {
  const parameters = new Parameters();
  // Slugs are lower case already.
  const matches = terms
    .map(parameters.add)
    .map((term) => any([`strpos(c.slug, ${term}) > 0`, found('c.display_name', term), found('c.description', term)]));
  const source = 'SELECT c.* FROM release.visible_communities(NULL) c';
  const list = {
    name: 'search.walkCommunities',
    table: 'communities c',
    source,
    number: 'c.community_number',
    matches,
  };
  return walkNumbered<CommunityRow>(db, list, stretch, parameters, options);
}

async function walkNumbered<Row>(
  db: Db,
  list: { name: string; table: string; source: string; number: string; matches: readonly string[] },
  { from, rows, limit }: Stretch<number>,
  { add, values }: Parameters,
  options: QueryOptions,
): Promise<Walked<Row, number>> {
  const { name, table, source, number, matches } = list;
  const after = `${number} > ${add(from)}`;
  const text = `WITH stretch AS MATERIALIZED (
      SELECT CASE WHEN count(*) = ${add(rows)} THEN max(number) END AS edge, count(*)::integer AS looked
      FROM (SELECT ${number} AS number FROM ${table} WHERE ${after} ORDER BY ${number} LIMIT ${add(rows)}) looked_at)
    SELECT stretch.edge, stretch.looked, hit.* FROM stretch LEFT JOIN LATERAL (
      SELECT true AS hit, listed.* FROM (
        ${source} WHERE ${after} AND ${number} <= coalesce(stretch.edge, ${Number.MAX_SAFE_INTEGER})${and(matches)}
        ORDER BY ${number} LIMIT ${add(limit)}
      ) listed
    ) hit ON true`;
  // The only row without a hit has the end of the stretch.
  type FoundRow = Row & { readonly edge: string | null; readonly looked: number; readonly hit: true | null };
  const found = await db.query<FoundRow>(unprepared(name, text), values, options);
  const { edge, looked } = found[0]!;
  return { hits: found.filter(({ hit }) => hit), edge: edge === null ? null : Number(edge), looked };
}
