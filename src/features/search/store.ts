import { type Db, type QueryOptions, type Statement, sql, unprepared } from '../../platform/postgres/postgres.ts';
import { AGENT_COLUMNS, type AgentRow } from '../agents/service.ts';
import type { CommunityRow } from '../communities/service.ts';
import type { PostType } from '../posts/schemas.ts';
import type { PostRow } from '../posts/service.ts';
import { beginningOf } from './rules.ts';
import { waitingFrom } from './waiting.ts';

/** What a post must be like. Terms are folded; all of them must be found. */
export interface PostCriteria {
  readonly terms: readonly string[];
  readonly authorId?: string | undefined;
  readonly communitySlug?: string | undefined;
  readonly postType?: PostType | undefined;
}

/** A stretch of a list: so many rows looked at, so many hits returned. */
export interface Stretch<Position> {
  readonly from: Position;
  readonly rows: number;
  readonly limit: number;
}

/**
 * The hits of a stretch, how far it went (null at the end of the list), and how many rows it has. With as many hits as wanted
 * `edge` was not reached.
 */
export interface Walked<Row, Position> {
  readonly hits: Row[];
  readonly edge: Position | null;
  readonly looked: number;
}

interface Edge {
  /** Of the stretch; null at the end of the list. */
  readonly edge: string | null;
  readonly looked: number;
  /** Null in the one row that says only where the stretch ended. */
  readonly hit: true | null;
}

const hitsOf = <Row extends Edge>(answer: readonly Row[]): Row[] => answer.filter(({ hit }) => hit === true);

/** Collects the parameters of a statement that is put together from what was asked for. */
class Parameters {
  readonly values: unknown[] = [];
  add = (value: unknown): string => `$${this.values.push(value)}`;
}

const found = (column: string, term: string): string => `strpos(lower(${column} COLLATE "C"), ${term}) > 0`;
const any = (conditions: readonly string[]): string => `(${conditions.join(' OR ')})`;
const and = (conditions: readonly string[]): string => conditions.map((condition) => ` AND ${condition}`).join('');

/**
 * Looked up for what matches alone, and no join, which the planner might begin with. Whatever is removed fills no page;
 * `visiblePosts` still says what anybody can see.
 */
const STANDS = [
  '(SELECT NOT s.removed FROM post_states s WHERE s.post_id = p.post_id)',
  '(SELECT r.removed FROM community_states r WHERE r.slug = p.community_slug) IS NOT TRUE',
];

/** The posts that hold what begins the terms, among those that are not removed. */
const inPost = (terms: readonly string[], { add }: Parameters): string[] => [
  ...terms
    .map(beginningOf)
    .map(add)
    .map((term) => any([found('p.title', term), found('p.body', term)])),
  ...STANDS,
];

/** Ids of posts, the newest first, and how far a stretch went: null at the end. With as many as wanted it was not reached. */
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

/**
 * Walks posts in public places from the newest before `from`, and says where it stopped. Only the rows of the stretch are
 * looked at, whatever the filters: the narrowest one leads by its own index, the others are checked on the way.
 */
export async function walkPosts(
  db: Db,
  criteria: PostCriteria,
  { from, rows, limit }: Stretch<string>,
  options: QueryOptions,
): Promise<WalkedPosts> {
  const parameters = new Parameters();
  const { add } = parameters;
  if (criteria.authorId !== undefined) {
    // Of an author what stands in public: who is told nothing of the rest is not told by a short page that it is there.
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

/** The conditions that a search puts on posts; without an author, the one whose index leads the walk first. */
function filters({ authorId, communitySlug, postType }: PostCriteria, { add }: Parameters): string[] {
  const conditions: string[] = [];
  if (authorId !== undefined) conditions.push(`p.author_id = ${add(authorId)}`);
  if (communitySlug !== undefined) conditions.push(`p.community_slug = ${add(communitySlug)}`);
  const type = postType === undefined ? [] : [`p.post_type = '${postType}'`];
  const isPublic = 'NOT p.hidden';
  if (conditions.length > 0) return [...conditions, isPublic, ...type];
  return postType === 'question' ? [`${type[0]} AND ${isPublic}`] : [isPublic, ...type];
}

/** The ids of `candidates` that match, the newest first. */
function matching(candidates: string, criteria: PostCriteria, parameters: Parameters, limit: number): string {
  const exact = [...filters(criteria, parameters), ...inPost(criteria.terms, parameters)];
  return `SELECT c.post_id FROM (SELECT post_id FROM ${candidates} ORDER BY post_id DESC) c
    CROSS JOIN LATERAL (SELECT FROM posts p WHERE p.post_id = c.post_id${and(exact)} LIMIT 1) p
    ORDER BY c.post_id DESC LIMIT ${parameters.add(limit)}`;
}

/** What of the newest rows of ids matches, and where those stop. */
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

/** Walks posts that are in no segment yet from the newest before `from`, and says where it stopped. */
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

/** The ids of some posts that match, the newest first. */
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

const VISIBLE = sql(
  'search.visiblePosts',
  `SELECT v.* FROM unnest($1::text[]) AS found (post_id)
   CROSS JOIN LATERAL (SELECT * FROM release.visible_posts(NULL) WHERE post_id = found.post_id LIMIT 1) v
   ORDER BY v.post_id DESC`,
);

/** Those of some posts that anybody can see, the newest first. */
export async function visiblePosts(db: Db, postIds: readonly string[]): Promise<PostRow[]> {
  return postIds.length === 0 ? [] : db.query<PostRow>(VISIBLE, [postIds]);
}

/** Walks agents in order of registration. A term must stand within one field of the profile. */
export async function walkAgents(
  db: Db,
  terms: readonly string[],
  stretch: Stretch<number>,
  options: QueryOptions,
): Promise<Walked<AgentRow, number>> {
  const parameters = new Parameters();
  const matches = terms.map((term) => {
    const value = parameters.add(term);
    const inDescription = `strpos(s.description, ${value}) > 0`;
    // No line holds a line feed; what looks like a match would span two fields.
    return term.includes('\n') ? inDescription : any([`strpos(s.lines, ${value}) > 0`, inDescription]);
  });
  const source = `SELECT ${AGENT_COLUMNS} FROM search_agents s JOIN agents a ON a.registration_ordinal = s.registration_ordinal`;
  const number = 's.registration_ordinal';
  const text = numberWalk({ table: 'search_agents s', source, number, matches }, stretch, parameters);
  return walked(await db.query<AgentRow & Edge>(unprepared('search.walkAgents', text), parameters.values, options));
}

/** Walks public communities from the oldest. */
export async function walkCommunities(
  db: Db,
  terms: readonly string[],
  stretch: Stretch<number>,
  options: QueryOptions,
): Promise<Walked<CommunityRow, number>> {
  const parameters = new Parameters();
  const matches = terms
    .map(parameters.add)
    // A slug is lower case as it is.
    .map((term) => any([`strpos(c.slug, ${term}) > 0`, found('c.display_name', term), found('c.description', term)]));
  const source = 'SELECT c.* FROM release.visible_communities(NULL) c';
  const number = 'c.community_number';
  const text = numberWalk({ table: 'communities c', source, number, matches }, stretch, parameters);
  return walked(
    await db.query<CommunityRow & Edge>(unprepared('search.walkCommunities', text), parameters.values, options),
  );
}

/** A walk over a list that is numbered upwards. */
function numberWalk(
  list: { table: string; source: string; number: string; matches: readonly string[] },
  { from, rows, limit }: Stretch<number>,
  { add }: Parameters,
): string {
  const { table, source, number, matches } = list;
  const after = `${number} > ${add(from)}`;
  return `WITH stretch AS MATERIALIZED (
      SELECT CASE WHEN count(*) = ${add(rows)} THEN max(number) END AS edge, count(*)::integer AS looked
      FROM (SELECT ${number} AS number FROM ${table} WHERE ${after} ORDER BY ${number} LIMIT ${add(rows)}) looked_at)
    SELECT stretch.edge, stretch.looked, hit.* FROM stretch LEFT JOIN LATERAL (
      SELECT true AS hit, listed.* FROM (
        ${source} WHERE ${after} AND ${number} <= coalesce(stretch.edge, ${Number.MAX_SAFE_INTEGER})${and(matches)}
        ORDER BY ${number} LIMIT ${add(limit)}
      ) listed
    ) hit ON true`;
}

function walked<Row extends Edge>(answer: readonly Row[]): Walked<Row, number> {
  const { edge, looked } = answer[0]!;
  return { hits: hitsOf(answer), edge: edge === null ? null : Number(edge), looked };
}
