import { type Db, type QueryOptions, unprepared } from '../../platform/postgres/postgres.ts';
import { intersect } from './postings.ts';

/** Ids a row, which is short enough to lie in its page as it is. */
export const PART_POSTS = 32;

/** Posts of one block, in which each of the grams that were looked up stands, that hold all of them, if any do. */
export interface Matches {
  readonly block: number;
  /** The newest post of the block, whatever it holds. */
  readonly newest: string;
  /** Of posts in the block, the last first. */
  readonly places: () => number[];
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
const BYTES_A_SEGMENT = 250;
/** To read what a fact says of a post takes so much less than to look at the post: a fact is asked for up to so many times the bytes. */
const FACT_BYTES = 64;
/**
 * A segment is asked unless a summary says that it lacks one of the grams. Most posts are told apart by the grams that the
 * fewest of them hold, and by facts, which have nothing to do with those; the other grams hardly narrow that. What is not
 * answered is not read either.
 */
const LOOK_UP = `WITH summarised AS MATERIALIZED (
    SELECT segments, (
      SELECT CASE WHEN count(*) = cardinality($4::integer[]) THEN bit_and(g.segments) ELSE 0 END
      FROM search_summary_grams g WHERE g.summary = s.summary AND g.gram = ANY ($4::integer[])
    ) AS holding
    FROM search_summaries s WHERE state = 'live'
  ), listed AS MATERIALIZED (
    SELECT segment, newest, row_number() OVER (ORDER BY newest DESC) AS place FROM (
      SELECT segment, newest FROM search_segments WHERE state = 'live' AND oldest < $1 AND newest >= $2
        AND segment NOT IN (SELECT u.segment FROM summarised s CROSS JOIN LATERAL unnest(s.segments) WITH ORDINALITY u (segment, place)
                            WHERE s.holding >> (u.place::integer - 1) & 1 = 0)
      ORDER BY newest DESC LIMIT $3::integer + 1
    ) newest
  ), fewest AS MATERIALIZED (
    SELECT l.place, p.posts, sum(p.bytes) OVER (ORDER BY l.place) - sum(p.bytes) OVER (PARTITION BY l.place) AS bytes_before
    FROM listed l CROSS JOIN LATERAL (
      SELECT posts, bytes FROM (
        SELECT gram, posts, octet_length(posts) AS bytes, count(*) OVER () AS held,
          row_number() OVER by_bytes AS place, min(octet_length(posts)) OVER () AS fewest
        FROM search_postings WHERE segment = l.segment AND gram = ANY ($4::integer[])
        WINDOW by_bytes AS (ORDER BY octet_length(posts))
      ) found
      WHERE held = cardinality($4::integer[])
        AND (place <= 3 OR gram = ANY ($5::integer[]) AND bytes <= fewest * ${FACT_BYTES})
    ) p WHERE l.place <= $3
  )
  SELECT b.below, found.blocks, found.lengths, found.postings, (
    SELECT newest FROM listed
    WHERE place > $3 OR place IN (SELECT place FROM fewest WHERE bytes_before > $3 * ${BYTES_A_SEGMENT}) ORDER BY place LIMIT 1
  ) AS rest
  FROM search_backfill b LEFT JOIN LATERAL (
    SELECT json_build_array(s.blocks, s.blocks_oldest, s.blocks_newest) AS blocks, p.lengths, p.postings
    FROM (
      SELECT place, json_agg(octet_length(posts)) AS lengths, string_agg(posts, '') AS postings
      FROM fewest WHERE bytes_before <= $3 * ${BYTES_A_SEGMENT} GROUP BY place
    ) p JOIN listed l ON l.place = p.place JOIN search_segments s ON s.segment = l.segment
  ) found ON true`;

interface LookedUpRow {
  readonly below: string;
  readonly rest: string | null;
  /** Their numbers, their oldest and their newest posts; as JSON, which takes the least to read. */
  readonly blocks: readonly [readonly number[], readonly string[], readonly string[]] | null;
  readonly lengths: readonly number[];
  /** End to end. */
  readonly postings: Buffer;
}

interface LookUpRange {
  readonly before: string;
  readonly downTo: string;
  readonly count: number;
  readonly facts?: readonly number[];
}

/**
 * What the newest `count` segments with posts in `[downTo, before)` hold, or fewer when they hold much; all of one moment.
 * `grams` are distinct, and at least one; `facts` are those of them that stand for no text.
 */
export async function lookUp(
  db: Db,
  grams: readonly number[],
  { before, downTo, count, facts = [] }: LookUpRange,
  options: QueryOptions,
): Promise<LookedUp> {
  const values = [before, downTo, count, grams, facts];
  const rows = await db.query<LookedUpRow>(unprepared('search.lookUp', LOOK_UP), values, options);
  const matches = rows.flatMap((row) =>
    matchesIn(row).filter(({ oldest, newest }) => oldest < before && newest >= downTo),
  );
  return {
    matches: matches.toSorted((a, b) => (a.newest < b.newest ? 1 : -1)),
    rest: rows[0]?.rest ?? null,
    // Where nothing tells how far the index goes, it does not.
    indexedDownTo: rows[0]?.below ?? before,
  };
}

function matchesIn({ blocks, lengths, postings }: LookedUpRow) {
  if (!blocks) return [];
  const [numbers, oldest, newest] = blocks;
  let from = 0;
  const each = lengths.map((length) => {
    from += length;
    return postings.subarray(from - length, from);
  });
  return [...intersect(each)].map(([number, places]) => ({
    block: numbers[number]!,
    oldest: oldest[number]!,
    newest: newest[number]!,
    places,
  }));
}

const POST_IDS = `SELECT p.post_ids[w.place % ${PART_POSTS} + 1] AS post_id
  FROM unnest($1::integer[], $2::integer[]) WITH ORDINALITY AS w (block, place, number)
  JOIN search_block_posts p ON p.block = w.block AND p.part = w.place / ${PART_POSTS} ORDER BY w.number`;

/** The ids at places of blocks; undefined when one is there no more, because the index is made anew. */
export async function postIdsAt(
  db: Db,
  wanted: readonly { readonly block: number; readonly place: number }[],
  options: QueryOptions,
): Promise<string[] | undefined> {
  if (wanted.length === 0) return [];
  const values = [wanted.map(({ block }) => block), wanted.map(({ place }) => place)];
  const rows = await db.query<{ post_id: string }>(unprepared('search.postIds', POST_IDS), values, options);
  return rows.length < wanted.length ? undefined : rows.map(({ post_id }) => post_id);
}
