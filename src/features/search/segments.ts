import { type Db, type QueryOptions, sql } from '../../platform/postgres/postgres.ts';
import type { QueryGrams } from './grams.ts';
import { intersect } from './postings.ts';
import { blocksOf, cachedFact, cacheFact, type SegmentBlocks, type SegmentRange } from './segmentCache.ts';

/** Post ids per row of `search_block_posts`: short enough that PostgreSQL stores the row uncompressed. */
export const IDS_PER_ROW = 32;

export interface BlockMatches {
  readonly block: number;
  /** The newest post of the block, matching or not. */
  readonly newest: string;
  /** The places of these posts in the block, last first. */
  readonly places: () => number[];
}

/** A segment that contains all grams of a query, with the bytes of each posting. */
interface MeasuredSegment extends SegmentRange {
  readonly grams: readonly number[];
  readonly lengths: readonly number[];
}

/** The newest segments that contain all grams of a query. */
interface Measured {
  readonly indexId: string;
  readonly indexedDownTo: string;
  readonly segments: readonly MeasuredSegment[];
  /** The newest post of the segments that were not examined; null if there are none. */
  readonly rest: string | null;
}

/** What a look-up found, newest first. */
export interface LookedUp {
  readonly matches: readonly BlockMatches[];
  /** Measured segments beyond the limit in bytes; the next look-up continues with them. */
  readonly left: Measured | undefined;
  /** The newest post of the segments that are left; null if there are none. */
  readonly rest: string | null;
  /** Posts before this id are in no segment yet. */
  readonly indexedDownTo: string;
}

/** How many postings of grams of text a look-up reads per segment: more of them hardly narrow the result. */
const ENOUGH_POSTINGS = 3;
/**
 * A posting is read if it is at most this many times as long as the shortest: reading a byte is that much cheaper than
 * a post.
 */
const MAX_RATIO = 64;
/** Postings up to this length are always read: PostgreSQL stores them in the row. */
const SHORT_BYTES = 2_000;
/** A look-up ends after this many matches, which fill a page. */
const ENOUGH_PLACES = 64;

const MEASURE = sql(
  'search.lookUp',
  `WITH listed AS MATERIALIZED (
    SELECT segment, oldest, newest, row_number() OVER (ORDER BY newest DESC) AS place FROM (
      SELECT segment, oldest, newest FROM search_segments WHERE state = 'live' AND oldest < $1 AND newest >= $2
      ORDER BY newest DESC LIMIT $3::integer + 1
    ) newest
  )
  SELECT b.below, b.index_id, rest.newest AS rest, held.*
  FROM search_backfill b LEFT JOIN listed rest ON rest.place > $3 LEFT JOIN LATERAL (
    SELECT l.segment, l.oldest, l.newest, measured.* FROM listed l CROSS JOIN LATERAL (
      SELECT json_agg(gram) AS grams, json_agg(octet_length(posts)) AS lengths FROM search_postings
      WHERE segment = l.segment AND gram = ANY ($4::integer[]) HAVING count(*) = cardinality($4::integer[])
    ) measured WHERE l.place <= $3 ORDER BY l.place
  ) held ON true`,
);

interface MeasuredRow extends Omit<MeasuredSegment, 'segment'> {
  readonly below: string;
  readonly index_id: string;
  readonly rest: string | null;
  /** Null in the only row when no segment contains all grams. */
  readonly segment: number | null;
}

interface LookUpRange {
  readonly before: string;
  readonly downTo: string;
  readonly count: number;
  /** How many bytes of postings to read; the first segment may exceed it. */
  readonly bytes: number;
  /** From the previous look-up. */
  readonly left?: Measured | undefined;
}

/** Finds the posts in `[downTo, before)` that contain all grams, at least one, in the newest segments. */
export async function lookUp(
  db: Db,
  grams: QueryGrams,
  { before, downTo, count, bytes, left }: LookUpRange,
  options: QueryOptions,
): Promise<LookedUp> {
  const measured = left ?? (await measure(db, [before, downTo, count, grams.all], options));
  if (!measured) return { matches: [], left: undefined, rest: null, indexedDownTo: before };
  const { indexId, indexedDownTo, segments } = measured;
  const sought = { places: ENOUGH_PLACES };
  const examined: { readonly range: SegmentRange; readonly places: Places | undefined }[] = [];
  for (const { range, postings } of await readPostings(db, measured, bytes, grams, options)) {
    if (sought.places <= 0) break;
    examined.push({ range, places: postings && intersect(postings, sought) });
  }
  const found = examined.flatMap(({ range, places }) => (places && places.size > 0 ? range : []));
  const blocks = await blocksOf(db, indexId, found, options);
  // A segment that was replaced meanwhile: the next look-up continues from there.
  const gone = examined.findIndex(({ range, places }) => !places || (places.size > 0 && !blocks.has(range.segment)));
  const matches = (gone === -1 ? examined : examined.slice(0, gone))
    .flatMap(({ range, places }) => (places!.size > 0 ? matchesIn(blocks.get(range.segment)!, places!) : []))
    .filter(({ oldest, newest }) => oldest < before && newest >= downTo)
    // Neighbouring blocks may overlap.
    .sort((a, b) => (a.newest < b.newest ? 1 : -1));
  if (gone !== -1) return { matches, left: undefined, rest: examined[gone]!.range.newest, indexedDownTo };
  const next = segments[examined.length];
  if (!next) return { matches, left: undefined, rest: measured.rest, indexedDownTo };
  // An examined segment that reaches below the next one is examined again for its older posts.
  const unfinished = segments.filter(({ oldest }, n) => n >= examined.length || oldest <= next.newest);
  return { matches, left: { ...measured, segments: unfinished }, rest: next.newest, indexedDownTo };
}

/** Undefined if there is no index. */
async function measure(db: Db, values: unknown[], options: QueryOptions): Promise<Measured | undefined> {
  const rows = await db.query<MeasuredRow>(MEASURE, values, { ...options, keepsPlan: true });
  const [first] = rows;
  if (!first) return undefined;
  const segments = rows.flatMap(({ segment, oldest, newest, grams, lengths }) =>
    segment === null ? [] : { segment, oldest, newest, grams, lengths },
  );
  return { indexId: first.index_id, indexedDownTo: first.below, segments, rest: first.rest };
}

/**
 * Reads postings of the first segments, up to `bytes`; cached ones do not count. Undefined postings: the segment is
 * gone.
 */
async function readPostings(
  db: Db,
  { indexId, segments }: Measured,
  bytes: number,
  grams: QueryGrams,
  options: QueryOptions,
): Promise<{ readonly range: SegmentRange; readonly postings: readonly Buffer[] | undefined }[]> {
  const wanted: { readonly range: SegmentRange; readonly gram: number }[] = [];
  const chosen: { readonly range: SegmentRange; readonly postings: readonly (Buffer | number)[] }[] = [];
  let room = bytes;
  for (const range of segments) {
    if (room < 0) break;
    const postings = chooseGrams(range, grams).map((gram) => {
      const cached = grams.facts.includes(gram) ? cachedFact(db, indexId, range, gram) : undefined;
      if (cached) return cached;
      room -= lengthOf(range, gram);
      return wanted.push({ range, gram }) - 1;
    });
    chosen.push({ range, postings });
  }
  const read = await postingsOf(db, wanted, options);
  for (const [n, { range, gram }] of wanted.entries())
    if (read[n] && grams.facts.includes(gram)) cacheFact(db, indexId, range, gram, read[n]);
  return chosen.map(({ range, postings }) => {
    const present = postings.flatMap((each) => (typeof each === 'number' ? (read[each] ?? []) : each));
    return { range, postings: present.length === postings.length ? present : undefined };
  });
}

/** The shortest, then facts, then others by length: posts with one gram of a term mostly have its others too. */
function chooseGrams(segment: MeasuredSegment, { facts, byTerm }: QueryGrams): readonly number[] {
  const shortestFirst = (some: readonly number[]) =>
    some.toSorted((a, b) => lengthOf(segment, a) - lengthOf(segment, b));
  const maxBytes = Math.max(SHORT_BYTES, Math.min(...segment.lengths) * MAX_RATIO);
  const perTerm = Math.ceil(ENOUGH_POSTINGS / byTerm.length);
  const texts = byTerm.flatMap((term) => shortestFirst(term).slice(0, perTerm));
  const worth = [...new Set([...texts, ...facts])].filter((gram) => lengthOf(segment, gram) <= maxBytes);
  const [shortest, ...others] = shortestFirst(worth);
  const isFact = (gram: number) => facts.includes(gram);
  return [shortest!, ...others.filter(isFact), ...others.filter((gram) => !isFact(gram))];
}

const lengthOf = ({ grams, lengths }: MeasuredSegment, gram: number): number => lengths[grams.indexOf(gram)]!;

/** As base64 in one value: `bytea` is sent as hexadecimal text, twice as long. */
const POSTINGS = sql(
  'search.postings',
  `SELECT json_agg(octet_length(posts)) AS lengths, encode(string_agg(posts, ''), 'base64') AS postings FROM (
     SELECT p.posts FROM unnest($1::integer[], $2::integer[]) WITH ORDINALITY AS w (segment, gram, number)
     LEFT JOIN search_postings p ON p.segment = w.segment AND p.gram = w.gram ORDER BY w.number
   ) p`,
);

async function postingsOf(
  db: Db,
  wanted: readonly { readonly range: SegmentRange; readonly gram: number }[],
  options: QueryOptions,
): Promise<(Buffer | undefined)[]> {
  if (wanted.length === 0) return [];
  const values = [wanted.map(({ range }) => range.segment), wanted.map(({ gram }) => gram)];
  const rows = await db.query<{ lengths: readonly (number | null)[]; postings: string | null }>(POSTINGS, values, {
    ...options,
    keepsPlan: true,
  });
  const { lengths, postings } = rows[0]!;
  const bytes = Buffer.from(postings ?? '', 'base64');
  let end = 0;
  return lengths.map((length) => {
    if (length === null) return undefined;
    end += length;
    return bytes.subarray(end - length, end);
  });
}

type Places = ReturnType<typeof intersect>;

const matchesIn = ({ blocks, blocks_oldest, blocks_newest }: SegmentBlocks, places: Places) =>
  [...places]
    .map(([n, of]) => ({ block: blocks[n]!, oldest: blocks_oldest[n]!, newest: blocks_newest[n]!, places: of }))
    .reverse();

const POST_IDS = sql(
  'search.postIds',
  `SELECT p.post_ids[w.place % ${IDS_PER_ROW} + 1] AS post_id
  FROM unnest($1::integer[], $2::integer[]) WITH ORDINALITY AS w (block, place, number)
  JOIN search_block_posts p ON p.block = w.block AND p.part = w.place / ${IDS_PER_ROW} ORDER BY w.number`,
);

/** The ids at places of blocks; undefined if a block is gone, because the index is being rebuilt. */
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
