import { type Db, sql } from '../../platform/postgres/postgres.ts';
import { nextStep } from './parts.ts';
import type { IndexSizes } from './postings.ts';

/**
 * A summary says of many segments which of them hold a gram: a term that hardly any of them holds is looked up in those alone.
 * It is made of segments that are joined with no others, which stay as they are until all of the index is made anew; a release
 * before made some of smaller ones.
 */
interface Summary {
  readonly summary: number;
  readonly state: 'made' | 'live';
  readonly segments: readonly number[];
  readonly parts_made: number;
}

const SUMMARIES = sql(
  'search.summaries',
  'SELECT summary, state, segments, parts_made FROM search_summaries ORDER BY summary',
);
const BEGIN_SUMMARY = sql('search.beginSummary', 'INSERT INTO search_summaries (segments) VALUES ($1)');

/** A step towards a summary of some whole segments, or the end of one of which no segment is live; undefined: none is due. */
export async function nextSummary(
  db: Db,
  { live, whole }: { readonly live: readonly number[]; readonly whole: readonly number[] },
  sizes: IndexSizes,
): Promise<((tx: Db) => Promise<unknown>) | undefined> {
  const summaries = await db.query<Summary>(SUMMARIES);
  const gone = summaries.find(({ segments }) => !segments.some((segment) => live.includes(segment)));
  if (gone) return (tx) => dropSome(tx, gone, sizes);
  const begun = summaries.find(({ state }) => state === 'made');
  if (begun) return (tx) => makePart(tx, begun, sizes);
  const summarised = new Set(summaries.flatMap(({ segments }) => segments));
  const others = whole.filter((segment) => !summarised.has(segment)).slice(0, sizes.summarySegments);
  if (others.length < sizes.summarySegments) return undefined;
  return (tx) => tx.query(BEGIN_SUMMARY, [others]);
}

/** Some may be there, of steps that were counted otherwise. */
const MAKE_PART = sql(
  'search.summaryPart',
  `INSERT INTO search_summary_grams (summary, gram, segments)
   SELECT $1, gram, bit_or(1::bigint << (place::integer - 1))
   FROM unnest($2::integer[]) WITH ORDINALITY AS s (segment, place) JOIN search_postings p ON p.segment = s.segment
   WHERE gram BETWEEN $3 AND $4 GROUP BY gram ON CONFLICT DO NOTHING`,
);
const PARTS_MADE = sql(
  'search.summaryParts',
  `UPDATE search_summaries SET parts_made = $2, state = CASE WHEN $3 THEN 'live' ELSE state END WHERE summary = $1`,
);

async function makePart(tx: Db, { summary, segments, parts_made }: Summary, sizes: IndexSizes): Promise<void> {
  const { grams, parts, isLast } = await nextStep(tx, segments, parts_made, sizes);
  await tx.query(MAKE_PART, [summary, segments, ...grams]);
  await tx.query(PARTS_MADE, [summary, parts, isLast]);
}

const DROP_GRAMS = sql(
  'search.dropSummaryGrams',
  `WITH dropped AS (
     DELETE FROM search_summary_grams WHERE summary = $1 AND gram IN (
       SELECT gram FROM search_summary_grams WHERE summary = $1 ORDER BY gram LIMIT $2
     ) RETURNING gram
   ) SELECT count(*)::integer AS count FROM dropped`,
);
const DROP = sql('search.dropSummary', 'DELETE FROM search_summaries WHERE summary = $1');

async function dropSome(tx: Db, { summary }: Summary, { stepRows }: IndexSizes): Promise<void> {
  const [dropped] = await tx.query<{ count: number }>(DROP_GRAMS, [summary, stepRows]);
  if (dropped!.count < stepRows) await tx.query(DROP, [summary]);
}

const REMOVE = sql(
  'search.removeFromSummaries',
  `UPDATE search_summary_grams g SET segments = g.segments & ~(1::bigint << (array_position(s.segments, $1) - 1))
   FROM search_summaries s WHERE $1 = ANY (s.segments) AND g.summary = s.summary AND g.gram = ANY ($2::integer[])`,
);

/** Of grams that a segment holds no more. */
export async function removeFromSummaries(tx: Db, segment: number, grams: readonly number[]): Promise<void> {
  if (grams.length > 0) await tx.query(REMOVE, [segment, grams]);
}
