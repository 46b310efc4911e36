import { type Db, type QueryOptions, sql } from '../../platform/postgres/postgres.ts';
import { blocksOf, KeptFacts, type NamedSegment, type SegmentBlocks } from './knownSegments.ts';
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

/** A segment in which each of some grams stands, and how many bytes it stores of each. */
interface Holding extends NamedSegment {
  readonly grams: readonly number[];
  readonly lengths: readonly number[];
}

/** The newest segments that hold all of some grams. */
interface Measured {
  readonly indexId: string;
  readonly indexedDownTo: string;
  readonly holding: readonly Holding[];
  /** The newest post of the segments that were not asked; null when there are none. */
  readonly rest: string | null;
}

/** What some segments hold, the newest first; ids are of posts in `[downTo, before)`. */
export interface LookedUp {
  readonly matches: readonly Matches[];
  /** What there was no room for: for the next look-up from `rest` on, which need not ask again. */
  readonly left: Measured | undefined;
  /** The newest post of the segments that are left; null when there are none. */
  readonly rest: string | null;
  /** Posts before it are in no segment yet. */
  readonly indexedDownTo: string;
}

/** Those of the grams that say the most are read, of each term some: more of them hardly narrow what these name. */
const ENOUGH_POSTINGS = 3;
/** To read what a posting says of a post takes so much less than to look at the post: one is read up to so many times the shortest. */
const WORTH_BYTES = 64;
/** Postings that lie in their page as they are: to read them costs hardly more than to learn how long they are. */
const SHORT_BYTES = 2_000;

/** With so many a page is filled, whatever the next segments hold. */
const SOUGHT_PLACES = 64;

/** A segment is asked unless a summary says that it lacks one of the grams. */
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
  )
  SELECT b.below, b.index_id, rest.newest AS rest, held.*
  FROM search_backfill b LEFT JOIN listed rest ON rest.place > $3 LEFT JOIN LATERAL (
    SELECT l.segment, l.oldest, l.newest, measured.* FROM listed l CROSS JOIN LATERAL (
      SELECT json_agg(gram) AS grams, json_agg(octet_length(posts)) AS lengths FROM search_postings
      WHERE segment = l.segment AND gram = ANY ($4::integer[]) HAVING count(*) = cardinality($4::integer[])
    ) measured WHERE l.place <= $3 ORDER BY l.place
  ) held ON true`,
);

interface LookedUpRow extends Omit<Holding, 'segment'> {
  readonly below: string;
  readonly index_id: string;
  readonly rest: string | null;
  /** Null in the one row of an index of which no segment holds them. */
  readonly segment: number | null;
}

interface LookUpRange {
  readonly before: string;
  readonly downTo: string;
  readonly count: number;
  /** Of what they hold, so much is read, and of one segment all. */
  readonly bytes: number;
  /** Those of the grams that stand for no text. */
  readonly facts?: readonly number[];
  /** The others, by the term that they are of; by default of one. */
  readonly terms?: readonly (readonly number[])[];
  /** Of the look-up before. */
  readonly left?: Measured | undefined;
}

/**
 * What the newest `count` segments with posts in `[downTo, before)` hold, or fewer when they hold much. `grams` are distinct, and
 * at least one.
 */
export async function lookUp(
  db: Db,
  grams: readonly number[],
  { before, downTo, count, bytes, facts = [], terms = [grams], left }: LookUpRange,
  options: QueryOptions,
): Promise<LookedUp> {
  const measured = left ?? (await measure(db, [before, downTo, count, grams], options));
  // Where nothing tells how far the index goes, it does not.
  if (!measured) return { matches: [], left: undefined, rest: null, indexedDownTo: before };
  const { indexId, indexedDownTo } = measured;
  const read = await readPostings(db, measured, { bytes, facts, terms }, options);
  const sought = { places: SOUGHT_PLACES };
  const found: { readonly named: NamedSegment; readonly places: Places | undefined }[] = [];
  for (const { named, postings } of read) {
    if (sought.places <= 0) break;
    found.push({ named, places: postings && intersect(postings, sought) });
  }
  const named = found.flatMap((each) => (each.places && each.places.size > 0 ? each.named : []));
  const blocks = await blocksOf(db, indexId, named, options);
  // Gone since: whatever is not newer is asked again.
  const gone = found.findIndex((each) => !each.places || (each.places.size > 0 && !blocks.has(each.named.segment)));
  const matches = (gone === -1 ? found : found.slice(0, gone))
    .flatMap((each) => (each.places!.size > 0 ? matchesIn(blocks.get(each.named.segment)!, each.places!) : []))
    .filter(({ oldest, newest }) => oldest < before && newest >= downTo)
    // In order but where blocks overlap.
    .sort((a, b) => (a.newest < b.newest ? 1 : -1));
  if (gone !== -1) return { matches, left: undefined, rest: found[gone]!.named.newest, indexedDownTo };
  const [next] = measured.holding.slice(found.length);
  if (!next) return { matches, left: undefined, rest: measured.rest, indexedDownTo };
  // What was looked through and reaches further down is so only to there.
  const holding = measured.holding.filter(({ oldest }, n) => n >= found.length || oldest <= next.newest);
  return { matches, left: { ...measured, holding }, rest: next.newest, indexedDownTo };
}

async function measure(db: Db, values: unknown[], options: QueryOptions): Promise<Measured | undefined> {
  const rows = await db.query<LookedUpRow>(LOOK_UP, values, { ...options, keepsPlan: true });
  const [first] = rows;
  if (!first) return undefined;
  const holding = rows.flatMap(({ segment, oldest, newest, grams, lengths }) =>
    segment === null ? [] : { segment, oldest, newest, grams, lengths },
  );
  return { indexId: first.index_id, indexedDownTo: first.below, holding, rest: first.rest };
}

/** Of a segment that holds all grams what is worth reading; undefined: some of it is there no more. */
interface Read {
  readonly named: NamedSegment;
  readonly postings: readonly Buffer[] | undefined;
}

/** The postings of the first segments, of so many as there is room for; what is known of facts takes none. */
async function readPostings(
  db: Db,
  { indexId, holding }: Measured,
  { bytes, facts, terms }: Required<Pick<LookUpRange, 'bytes' | 'facts' | 'terms'>>,
  options: QueryOptions,
): Promise<Read[]> {
  const kept = new KeptFacts(db, indexId);
  const wanted: { readonly segment: number; readonly gram: number }[] = [];
  const reading: { readonly named: Holding; readonly chosen: readonly (Buffer | number)[] }[] = [];
  let room = bytes;
  for (const named of holding) {
    if (room < 0) break;
    const chosen = chooseGrams(named, terms, facts).map((gram) => {
      const fact = facts.includes(gram) ? kept.find(named, gram) : undefined;
      if (fact) return fact;
      room -= lengthOf(named, gram);
      return wanted.push({ segment: named.segment, gram }) - 1;
    });
    reading.push({ named, chosen });
  }
  const postings = await postingsOf(db, wanted, options);
  wanted.forEach(({ gram }, n) => {
    if (!facts.includes(gram) || !postings[n]) return;
    const { named } = reading.find((each) => each.named.segment === wanted[n]!.segment)!;
    kept.keep(named, gram, postings[n]);
  });
  return reading.map(({ named, chosen }) => {
    const each = chosen.flatMap((one) => (typeof one === 'number' ? (postings[one] ?? []) : one));
    return { named, postings: each.length === chosen.length ? each : undefined };
  });
}

/**
 * Which of the grams are read of a segment: the shortest first, then facts, then the others by length. Posts that hold one gram
 * of a term mostly hold the others too, and a fact tells more of them apart.
 */
function chooseGrams(
  holding: Holding,
  terms: readonly (readonly number[])[],
  facts: readonly number[],
): readonly number[] {
  const shortestFirst = (some: readonly number[]) =>
    some.toSorted((a, b) => lengthOf(holding, a) - lengthOf(holding, b));
  const most = Math.max(SHORT_BYTES, Math.min(...holding.lengths) * WORTH_BYTES);
  const each = Math.ceil(ENOUGH_POSTINGS / terms.length);
  const texts = terms.flatMap((ofTerm) => shortestFirst(ofTerm).slice(0, each));
  const worth = [...new Set([...texts, ...facts])].filter((gram) => lengthOf(holding, gram) <= most);
  const [shortest, ...others] = shortestFirst(worth);
  const isFact = (gram: number) => facts.includes(gram);
  return [shortest!, ...others.filter(isFact), ...others.filter((gram) => !isFact(gram))];
}

const lengthOf = ({ grams, lengths }: Holding, gram: number): number => lengths[grams.indexOf(gram)]!;

/** In base64, and lengths as JSON: what takes the least to write and to read, as bytes come in twice as many letters. */
const POSTINGS = sql(
  'search.postings',
  `SELECT json_agg(octet_length(posts)) AS lengths, encode(string_agg(posts, ''), 'base64') AS postings FROM (
     SELECT p.posts FROM unnest($1::integer[], $2::integer[]) WITH ORDINALITY AS w (segment, gram, number)
     LEFT JOIN search_postings p ON p.segment = w.segment AND p.gram = w.gram ORDER BY w.number
   ) p`,
);

/** Each that is wanted, in this order; undefined where there is none. */
async function postingsOf(
  db: Db,
  wanted: readonly { readonly segment: number; readonly gram: number }[],
  options: QueryOptions,
): Promise<(Buffer | undefined)[]> {
  if (wanted.length === 0) return [];
  const values = [wanted.map(({ segment }) => segment), wanted.map(({ gram }) => gram)];
  const rows = await db.query<{ lengths: readonly (number | null)[]; postings: string | null }>(POSTINGS, values, {
    ...options,
    keepsPlan: true,
  });
  const [{ lengths, postings }] = rows as [(typeof rows)[number]];
  const bytes = Buffer.from(postings ?? '', 'base64');
  let from = 0;
  return lengths.map((length) => {
    if (length === null) return undefined;
    from += length;
    return bytes.subarray(from - length, from);
  });
}

type Places = ReadonlyMap<number, () => number[]>;

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
