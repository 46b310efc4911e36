import { type Db, isTimeout, type QueryOptions, sql, unprepared } from '../../platform/postgres/postgres.ts';
import { AGENT_COLUMNS, type AgentRow } from '../agents/service.ts';
import type { CommunityRow } from '../communities/service.ts';
import type { PostType } from '../posts/schemas.ts';
import type { PostRow } from '../posts/service.ts';
import { pendingFrom } from './pending.ts';
import { indexableRuns } from './rules.ts';

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

/** The hits of a stretch, and how far it went: null at the end of the list. When it is full, `edge` was not reached. */
export interface Walked<Row, Position> {
  readonly hits: Row[];
  readonly edge: Position | null;
}

interface Edge {
  /** Of the stretch; null at the end of the list. */
  readonly edge: string | null;
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

const inPost = (terms: readonly string[], { add }: Parameters): string[] =>
  terms.map(add).map((term) => any([found('p.title', term), found('p.body', term)]));

/**
 * Walks public posts from the newest before `from`, and says where it stopped. Only the rows of the stretch are looked
 * at, whatever the filters: the narrowest one leads by its own index, the others are checked on the way.
 */
export async function walkPosts(
  db: Db,
  criteria: PostCriteria,
  { from, rows, limit }: Stretch<string>,
  options: QueryOptions,
): Promise<Walked<PostRow, string>> {
  const parameters = new Parameters();
  const { add } = parameters;
  const [leading, ...checked] = filters(criteria, parameters);
  const within = `${leading} AND p.post_id < ${add(from)}`;
  const text = `WITH stretch AS MATERIALIZED (
      SELECT CASE WHEN count(*) = ${add(rows)} THEN min(post_id) END AS edge
      FROM (SELECT p.post_id FROM posts p WHERE ${within} ORDER BY p.post_id DESC LIMIT ${add(rows)}) looked_at)
    SELECT stretch.edge, hit.* FROM stretch LEFT JOIN LATERAL (
      SELECT true AS hit, v.* FROM posts p CROSS JOIN LATERAL (
        SELECT * FROM release.visible_posts(NULL) WHERE post_id = p.post_id LIMIT 1
      ) v
      WHERE ${within} AND p.post_id >= coalesce(stretch.edge, '')${and([...checked, ...inPost(criteria.terms, parameters)])}
      ORDER BY p.post_id DESC LIMIT ${add(limit)}
    ) hit ON true`;
  const answer = await db.query<PostRow & Edge>(unprepared('search.walkPosts', text), parameters.values, options);
  return { hits: hitsOf(answer), edge: answer[0]!.edge };
}

/** The conditions that a search puts on posts, the one whose index leads the walk first. */
function filters({ authorId, communitySlug, postType }: PostCriteria, { add }: Parameters): string[] {
  const conditions: string[] = [];
  if (authorId !== undefined) conditions.push(`p.author_id = ${add(authorId)}`);
  if (communitySlug !== undefined) conditions.push(`p.community_slug = ${add(communitySlug)}`);
  const type = postType === undefined ? [] : [`p.post_type = '${postType}'`];
  const isPublic = 'NOT p.hidden';
  if (conditions.length > 0) return [...conditions, isPublic, ...type];
  return postType === 'question' ? [`${type[0]} AND ${isPublic}`] : [isPublic, ...type];
}

/**
 * Matching public posts before `from`, newest first, by the trigram index and those that are not in it yet, in one
 * snapshot. The terms hold a run that the index knows. Of those not in it, the newest `rows` are looked at: when there
 * are more, both end where these do. Undefined when it did not answer in time.
 */
export async function lookUpPosts(
  db: Db,
  criteria: PostCriteria,
  { from, rows, limit }: Stretch<string>,
  options: QueryOptions,
): Promise<Walked<PostRow, string> | undefined> {
  const parameters = new Parameters();
  const { add } = parameters;
  const before = `post_id < ${add(from)}`;
  const waits = `post_id >= ${add(await pendingFrom(db))}`;
  // Runs are letters and digits: nothing in them is a wildcard.
  const likely = indexableRuns(criteria.terms).map((run) => `content LIKE ${add(`%${run}%`)}`);
  const exact = [...filters(criteria, parameters), ...inPost(criteria.terms, parameters)];
  const contained = criteria.terms.map((term) => `strpos(content, ${add(term)}) > 0`);
  const text = `WITH pending AS MATERIALIZED (
      SELECT post_id FROM search_pending WHERE ${waits} AND ${before} ORDER BY post_id DESC LIMIT ${add(rows)}
    ), stretch AS MATERIALIZED (
      SELECT CASE WHEN count(*) = ${add(rows)} THEN min(post_id) END AS edge FROM pending
    ), candidates AS MATERIALIZED (
      SELECT post_id FROM search_posts WHERE ${before}${and([...likely, ...contained])}
      UNION ALL SELECT post_id FROM pending
    )
    SELECT stretch.edge, hit.* FROM stretch LEFT JOIN LATERAL (
      SELECT true AS hit, v.*
      FROM (SELECT post_id FROM candidates WHERE post_id >= coalesce(stretch.edge, '') ORDER BY post_id DESC) c
      CROSS JOIN LATERAL (SELECT p.post_id FROM posts p WHERE p.post_id = c.post_id${and(exact)} LIMIT 1) p
      CROSS JOIN LATERAL (SELECT * FROM release.visible_posts(NULL) WHERE post_id = p.post_id LIMIT 1) v
      ORDER BY c.post_id DESC LIMIT ${add(limit)}
    ) hit ON true`;
  const answer = db.query<PostRow & Edge>(unprepared('search.lookUpPosts', text), parameters.values, options);
  const found = await orUndefined(answer);
  return found && { hits: hitsOf(found), edge: found[0]!.edge };
}

/** What a read answers, or undefined when its time was over. */
export async function orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  return answer.catch((error: unknown) => {
    if (isTimeout(error)) return undefined;
    throw error;
  });
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
    .map((term) => any(['c.slug', 'c.display_name', 'c.description'].map((column) => found(column, term))));
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
      SELECT CASE WHEN count(*) = ${add(rows)} THEN max(number) END AS edge
      FROM (SELECT ${number} AS number FROM ${table} WHERE ${after} ORDER BY ${number} LIMIT ${add(rows)}) looked_at)
    SELECT stretch.edge, hit.* FROM stretch LEFT JOIN LATERAL (
      SELECT true AS hit, listed.* FROM (
        ${source} WHERE ${after} AND ${number} <= coalesce(stretch.edge, ${Number.MAX_SAFE_INTEGER})${and(matches)}
        ORDER BY ${number} LIMIT ${add(limit)}
      ) listed
    ) hit ON true`;
}

function walked<Row extends Edge>(answer: readonly Row[]): Walked<Row, number> {
  const { edge } = answer[0]!;
  return { hits: hitsOf(answer), edge: edge === null ? null : Number(edge) };
}

const INDEX_PENDING = sql('search.indexPending', 'SELECT release.index_pending_posts($1, $2) AS moved');

/** Moves up to `limit` posts into the trigram index; returns how many it moved. */
export async function indexPendingPosts(db: Db, limit: number): Promise<number> {
  const [row] = await db.query<{ moved: number }>(INDEX_PENDING, [await pendingFrom(db), limit]);
  return row!.moved;
}
