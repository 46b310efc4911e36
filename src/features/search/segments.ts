import { type Db, type QueryOptions, sql } from '../../platform/postgres/postgres.ts';
import { intersect, type Sought } from './postings.ts';
import { blocksOf, type NamedSegment, type SegmentBlocks } from './segmentBlocks.ts';

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
  /** How many segments answered before the bytes were used up; undefined when all that were asked did. */
  readonly answered: number | undefined;
  /** The newest post of the segments that are left; null when there are none. */
  readonly rest: string | null;
  /** Posts before it are in no segment yet. */
  readonly indexedDownTo: string;
}

/** Postings that lie in their page as they are: to read them costs no more than to learn how long they are. */
const SHORT_BYTES = 2_000;
/** Where so many are short, the others hardly narrow what they name, but for facts; else the shortest of the long ones are read too. */
const ENOUGH_POSTINGS = 3;
/** To read what a posting says of a post takes so much less than to look at the post: a long one is read up to so many times the shortest. */
const WORTH_BYTES = 64;

/** With so many a page is filled, whatever the next segments hold. */
const SOUGHT_PLACES = 64;

/** A segment is asked unless a summary says that it lacks one of the grams. Of long postings none is read that is not answered. */
const LOOK_UP = sql(
  'search.lookUp',
  `WITH summarised AS MATERIALIZED (
    SELECT segments, (
      SELECT CASE WHEN count(*) = cardinality($4::integer[]) THEN bit_and(g.segments) ELSE 0 END
      FROM search_summary_grams g WHERE g.summary = s.summary AND g.gram = ANY ($4::integer[])
    ) AS holding
    FROM search_summaries s WHERE state = 'live'
  ), listed AS MATERIALIZED (
    SELECT segment, oldest, newest, row_number() OVER (ORDER BY newest DESC) AS place FROM (
      SELECT segment, oldest, newest FROM search_segments WHERE state = 'live' AND oldest < $1 AND newest >= $2
        AND segment NOT IN (SELECT u.segment FROM summarised s CROSS JOIN LATERAL unnest(s.segments) WITH ORDINALITY u (segment, place)
                            WHERE s.holding >> (u.place::integer - 1) & 1 = 0)
      ORDER BY newest DESC LIMIT $3::integer + 1
    ) newest
  ), held AS MATERIALIZED (
    SELECT l.*, h.*, sum(h.bytes + h.more) OVER (ORDER BY l.place) - h.bytes - h.more AS bytes_before
    FROM listed l CROSS JOIN LATERAL (
      SELECT lengths, postings, short, fewest, bytes, CASE WHEN shortest_long <= fewest * ${WORTH_BYTES}
        THEN greatest(${ENOUGH_POSTINGS} - short, 0) * shortest_long + least(long_facts, fewest * ${WORTH_BYTES}) ELSE 0 END AS more
      FROM (
        SELECT min(length) AS fewest,
          json_agg(length) FILTER (WHERE length <= ${SHORT_BYTES}) AS lengths,
          encode(string_agg(posts, '') FILTER (WHERE length <= ${SHORT_BYTES}), 'base64') AS postings,
          count(*) FILTER (WHERE length <= ${SHORT_BYTES}) AS short,
          coalesce(sum(length) FILTER (WHERE length <= ${SHORT_BYTES}), 0) AS bytes,
          coalesce(min(length) FILTER (WHERE length > ${SHORT_BYTES}), 0) AS shortest_long,
          coalesce(sum(length) FILTER (WHERE length > ${SHORT_BYTES} AND gram = ANY ($5::integer[])), 0) AS long_facts
        FROM (SELECT gram, posts, octet_length(posts) AS length FROM search_postings
              WHERE segment = l.segment AND gram = ANY ($4::integer[])) p
        HAVING count(*) = cardinality($4::integer[])
      ) measured
    ) h WHERE l.place <= $3
  )
  SELECT b.below, b.index_id, rest.newest AS rest, rest.place, found.*
  FROM search_backfill b LEFT JOIN LATERAL (
    SELECT newest, place::integer FROM listed
    WHERE place > $3 OR place >= (SELECT min(place) FROM held WHERE bytes_before > $6) ORDER BY place LIMIT 1
  ) rest ON true LEFT JOIN LATERAL (
    SELECT h.segment, h.oldest, h.newest, h.lengths, h.postings, long.lengths AS long_lengths, long.postings AS long_postings
    FROM held h CROSS JOIN LATERAL (
      SELECT json_agg(length) AS lengths, encode(string_agg(posts, ''), 'base64') AS postings
      FROM (
        SELECT gram, posts, octet_length(posts) AS length, row_number() OVER (ORDER BY octet_length(posts)) AS place
        FROM search_postings WHERE h.more > 0 AND segment = h.segment AND octet_length(posts) > ${SHORT_BYTES}
          AND gram = ANY (CASE WHEN h.short < ${ENOUGH_POSTINGS} THEN $4::integer[] ELSE $5::integer[] END)
      ) p
      WHERE (place <= ${ENOUGH_POSTINGS} - h.short OR gram = ANY ($5::integer[])) AND length <= h.fewest * ${WORTH_BYTES}
    ) long WHERE h.bytes_before <= $6 ORDER BY h.place
  ) found ON true`,
);

interface LookedUpRow extends NamedSegment {
  readonly below: string;
  readonly index_id: string;
  readonly rest: string | null;
  /** Of the newest segment that is left, among those that were asked, from 1 on; higher when all of these answered. */
  readonly place: number | null;
  /**
   * End to end, and how long each of them is. In base64, and as JSON: what takes the least to write and to read, as bytes come
   * in twice as many letters.
   */
  readonly lengths: readonly number[] | null;
  readonly postings: string | null;
  readonly long_lengths: readonly number[] | null;
  readonly long_postings: string | null;
}

interface LookUpRange {
  readonly before: string;
  readonly downTo: string;
  readonly count: number;
  /** Of what they hold, so much is answered, and of one segment all. */
  readonly bytes: number;
  readonly facts?: readonly number[];
}

/**
 * What the newest `count` segments with posts in `[downTo, before)` hold, or fewer when they hold much; all of one moment.
 * `grams` are distinct, and at least one; `facts` are those of them that stand for no text.
 */
export async function lookUp(
  db: Db,
  grams: readonly number[],
  { before, downTo, count, bytes, facts = [] }: LookUpRange,
  options: QueryOptions,
): Promise<LookedUp> {
  const values = [before, downTo, count, grams, facts, bytes];
  const rows = await db.query<LookedUpRow>(LOOK_UP, values, { ...options, keepsPlan: true });
  const [first] = rows;
  // Where nothing tells how far the index goes, it does not.
  if (!first) return { matches: [], answered: undefined, rest: null, indexedDownTo: before };
  const sought = { places: SOUGHT_PLACES };
  const holding = rows.map((row) => ({ row, places: placesIn(row, sought) })).filter(({ places }) => places.size > 0);
  const segments = holding.map(({ row }) => row);
  const blocks = await blocksOf(db, first.index_id, segments, options);
  // Gone since: whatever is not newer is asked again.
  const gone = segments.find(({ segment }) => !blocks.has(segment));
  const matches = holding
    .slice(0, gone && segments.indexOf(gone))
    .flatMap(({ row, places }) => matchesIn(blocks.get(row.segment)!, places))
    .filter(({ oldest, newest }) => oldest < before && newest >= downTo)
    // In order but where blocks overlap.
    .sort((a, b) => (a.newest < b.newest ? 1 : -1));
  return {
    matches,
    answered: first.place !== null && first.place <= count ? first.place - 1 : undefined,
    rest: gone?.newest ?? first.rest,
    indexedDownTo: first.below,
  };
}

type Places = ReadonlyMap<number, () => number[]>;

function placesIn(
  { lengths, postings, long_lengths: longLengths, long_postings: longPostings }: LookedUpRow,
  sought: Sought,
): Places {
  const each = [...apart(lengths ?? [], postings ?? ''), ...apart(longLengths ?? [], longPostings ?? '')];
  return each.length === 0 ? new Map() : intersect(each, sought);
}

/** What lies end to end. */
function apart(lengths: readonly number[], postings: string): Buffer[] {
  const bytes = Buffer.from(postings, 'base64');
  let from = 0;
  return lengths.map((length) => {
    from += length;
    return bytes.subarray(from - length, from);
  });
}

/** The newest block first. */
function matchesIn({ blocks, blocks_oldest: oldest, blocks_newest: newest }: SegmentBlocks, places: Places) {
  return [...places]
    .map(([number, of]) => ({ block: blocks[number]!, oldest: oldest[number]!, newest: newest[number]!, places: of }))
    .reverse();
}

const POST_IDS = sql(
  'search.postIds',
  `SELECT p.post_ids[w.place % ${PART_POSTS} + 1] AS post_id
  FROM unnest($1::integer[], $2::integer[]) WITH ORDINALITY AS w (block, place, number)
  JOIN search_block_posts p ON p.block = w.block AND p.part = w.place / ${PART_POSTS} ORDER BY w.number`,
);

/** The ids at places of blocks; undefined when one is there no more, because the index is made anew. */
export async function postIdsAt(
  db: Db,
  wanted: readonly { readonly block: number; readonly place: number }[],
  options: QueryOptions,
): Promise<string[] | undefined> {
  if (wanted.length === 0) return [];
  const values = [wanted.map(({ block }) => block), wanted.map(({ place }) => place)];
  const rows = await db.query<{ post_id: string }>(POST_IDS, values, { ...options, keepsPlan: true });
  return rows.length < wanted.length ? undefined : rows.map(({ post_id }) => post_id);
}
