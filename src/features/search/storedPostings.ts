import { type Db, manyRows, noRows, oneValue } from '../../platform/postgres/postgres.ts';
import type { EncodedPostings, IndexSizes } from './postings.ts';

/** Rows per INSERT: a block of long texts has hundreds of thousands, and statements have a time limit. */
const ROWS_PER_INSERT = 16_384;

export const readPostings = manyRows<{ gram: number; posts: Buffer }, [segment: number, first: number, last: number]>(
  'search.postingsOfGrams',
  'SELECT gram, posts FROM search_postings WHERE segment = $1 AND gram BETWEEN $2 AND $3 ORDER BY gram',
);
const insertRows = noRows<[segment: number, bytes: Buffer, grams: number[], lengths: number[]]>(
  'search.putPostings',
  `INSERT INTO search_postings (segment, gram, posts)
   SELECT $1, gram, substr($2::bytea, (sum(length) OVER (ROWS UNBOUNDED PRECEDING) - length)::integer + 1, length)
   FROM unnest($3::integer[], $4::integer[]) AS p (gram, length)`,
);

export async function insertPostings(
  tx: Db,
  segment: number,
  { grams, lengths, bytes }: EncodedPostings,
): Promise<void> {
  let at = 0;
  for (let from = 0; from < grams.length; from += ROWS_PER_INSERT) {
    const someGrams = [...grams.subarray(from, from + ROWS_PER_INSERT)];
    const someLengths = [...lengths.subarray(from, from + ROWS_PER_INSERT)];
    const end = someLengths.reduce((sum, length) => sum + length, at);
    await insertRows(tx, segment, bytes.subarray(at, end), someGrams, someLengths);
    at = end;
  }
}

/** Progress through the postings of a segment is stored as a number of parts, each of 2,048 consecutive gram values. */
const GRAMS_PER_PART = 2_048;
const FIRST_GRAM = -(2 ** 31);
const PARTS = 2 ** 32 / GRAMS_PER_PART;

/** The lowest gram that is $3 rows after $2 in any of the segments; null when all of them end before. */
const findFurther = oneValue<number | null, [segments: readonly number[], from: number, rows: number]>(
  'search.furtherGram',
  `SELECT min(further.gram) AS gram FROM unnest($1::integer[]) AS s (segment) CROSS JOIN LATERAL (
     SELECT gram FROM search_postings WHERE segment = s.segment AND gram >= $2 ORDER BY gram OFFSET $3::integer LIMIT 1
   ) further`,
);

/** A step has as many parts as have about `stepRows` rows. Returns its grams, and how many parts are done after it. */
export async function nextStep(tx: Db, segments: readonly number[], parts: number, { stepRows }: IndexSizes) {
  const first = FIRST_GRAM + parts * GRAMS_PER_PART;
  const rows = Math.floor(stepRows / segments.length);
  const gram = await findFurther(tx, segments, first, rows);
  const end = gram == null ? PARTS : Math.max(parts + 1, Math.floor((gram - FIRST_GRAM) / GRAMS_PER_PART));
  const grams: [first: number, last: number] = [first, FIRST_GRAM + end * GRAMS_PER_PART - 1];
  return { grams, parts: end, isLast: end === PARTS };
}
