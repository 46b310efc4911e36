import { type Db, type QueryOptions, unprepared } from '../../platform/postgres/postgres.ts';
import { intersect, type Places } from './postings.ts';

/** Ids a row: as many as are read for one of them. */
export const PART_POSTS = 128;

/** Posts of one block that hold the grams that were looked up. */
export interface Matches {
  readonly block: number;
  /** The newest post of the block, whatever it holds. */
  readonly newest: string;
  readonly places: Places;
}

/** What some segments hold, the newest first; ids are of posts in `[downTo, before)`. */
export interface LookedUp {
  readonly matches: readonly Matches[];
  /** The newest post of the segments that are left; null when there are none. */
  readonly rest: string | null;
  /** Posts before it are in no segment yet. */
  readonly indexedDownTo: string;
}

/** Of what segments hold, a look-up answers about so much for each that is asked: little of it is looked through in time. */
const BYTES_A_SEGMENT = 1_500;
/**
 * Most posts are told apart by the grams that the fewest of them hold; the others hardly narrow that. What is not answered
 * is not read either.
 */
const LOOK_UP = `WITH listed AS MATERIALIZED (
    SELECT segment, newest, row_number() OVER (ORDER BY newest DESC) AS place FROM (
      SELECT segment, newest FROM search_segments WHERE state = 'live' AND oldest < $1 AND newest >= $2
      ORDER BY newest DESC LIMIT $3::integer + 1
    ) newest
  ), fewest AS MATERIALIZED (
    SELECT l.place, p.posts, sum(p.bytes) OVER (ORDER BY l.place) - sum(p.bytes) OVER (PARTITION BY l.place) AS bytes_before
    FROM listed l CROSS JOIN LATERAL (
      SELECT posts, bytes FROM (
        SELECT posts, octet_length(posts) AS bytes, count(*) OVER () AS held
        FROM search_postings WHERE segment = l.segment AND gram = ANY ($4::integer[])
      ) found WHERE held = cardinality($4::integer[]) ORDER BY bytes LIMIT 3
    ) p WHERE l.place <= $3
  )
  SELECT b.below, found.*, (
    SELECT newest FROM listed
    WHERE place > $3 OR place IN (SELECT place FROM fewest WHERE bytes_before > $3 * ${BYTES_A_SEGMENT}) ORDER BY place LIMIT 1
  ) AS rest
  FROM search_backfill b LEFT JOIN LATERAL (
    SELECT s.blocks, s.blocks_oldest, s.blocks_newest, p.postings
    FROM (
      SELECT place, array_agg(posts) AS postings FROM fewest WHERE bytes_before <= $3 * ${BYTES_A_SEGMENT} GROUP BY place
    ) p JOIN listed l ON l.place = p.place JOIN search_segments s ON s.segment = l.segment
  ) found ON true`;

interface LookedUpRow {
  readonly below: string;
  readonly rest: string | null;
  readonly blocks: readonly number[] | null;
  readonly blocks_oldest: readonly string[];
  readonly blocks_newest: readonly string[];
  readonly postings: readonly Buffer[];
}

/**
 * What the newest `count` segments with posts in `[downTo, before)` hold, or fewer when they hold much; all of one moment.
 * `grams` are distinct, and at least one.
 */
export async function lookUp(
  db: Db,
  grams: readonly number[],
  { before, downTo, count }: { before: string; downTo: string; count: number },
  options: QueryOptions,
): Promise<LookedUp> {
  const values = [before, downTo, count, grams];
  const rows = await db.query<LookedUpRow>(unprepared('search.lookUp', LOOK_UP), values, options);
  const matches = rows.flatMap((row) =>
    matchesIn(row).filter(({ oldest, newest }) => oldest < before && newest >= downTo),
  );
  return {
    matches: matches.toSorted((a, b) => (a.newest < b.newest ? 1 : -1)),
    rest: rows[0]!.rest,
    indexedDownTo: rows[0]!.below,
  };
}

function matchesIn({ blocks, blocks_oldest, blocks_newest, postings }: LookedUpRow) {
  if (!blocks) return [];
  return [...intersect(postings)].map(([number, places]) => ({
    block: blocks[number]!,
    oldest: blocks_oldest[number]!,
    newest: blocks_newest[number]!,
    places,
  }));
}

const POST_IDS = `SELECT block, part, post_ids FROM search_block_posts
  JOIN unnest($1::integer[], $2::integer[]) AS wanted (block, part) USING (block, part)`;

/** The ids at places of blocks; undefined when one is there no more, because the index is made anew. */
export async function postIdsAt(
  db: Db,
  wanted: readonly { readonly block: number; readonly place: number }[],
  options: QueryOptions,
): Promise<string[] | undefined> {
  if (wanted.length === 0) return [];
  const keyOf = (block: number, part: number) => `${block} ${part}`;
  const partOf = (place: number) => Math.floor(place / PART_POSTS);
  const parts = new Map(
    wanted.map(({ block, place }) => [keyOf(block, partOf(place)), { block, part: partOf(place) }]),
  );
  const values = [[...parts.values()].map(({ block }) => block), [...parts.values()].map(({ part }) => part)];
  const rows = await db.query<{ block: number; part: number; post_ids: string[] }>(
    unprepared('search.postIds', POST_IDS),
    values,
    options,
  );
  const found = new Map(rows.map(({ block, part, post_ids }) => [keyOf(block, part), post_ids]));
  if (found.size < parts.size) return undefined;
  return wanted.map(({ block, place }) => found.get(keyOf(block, partOf(place)))![place % PART_POSTS]!);
}
