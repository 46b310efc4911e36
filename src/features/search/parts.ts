import { type Db, sql } from '../../platform/postgres/postgres.ts';
import type { IndexSizes } from './postings.ts';

/** Grams in their order, so many a part: how far somebody got is told in whole parts. */
const GRAMS_A_PART = 2_048;
const FIRST_GRAM = -(2 ** 31);
const PARTS = 2 ** 32 / GRAMS_A_PART;

/** The gram that is so many rows further on, in the segment where it comes first; null: none is that far from the end. */
const FURTHER = sql(
  'search.furtherGram',
  `SELECT min(further.gram) AS gram FROM unnest($1::integer[]) AS s (segment) CROSS JOIN LATERAL (
     SELECT gram FROM search_postings WHERE segment = s.segment AND gram >= $2 ORDER BY gram OFFSET $3::integer LIMIT 1
   ) further`,
);

/** Some parts of the grams: whatever goes through all postings of segments does so step by step. */
export interface Step {
  /** The first and the last. */
  readonly grams: readonly [number, number];
  /** How many parts are done with it. */
  readonly parts: number;
  readonly isLast: boolean;
}

/** The next step through some segments, at least one, of which `parts` are done: as many parts as have `stepRows`. */
export async function nextStep(
  tx: Db,
  segments: readonly number[],
  parts: number,
  { stepRows }: IndexSizes,
): Promise<Step> {
  const first = FIRST_GRAM + parts * GRAMS_A_PART;
  const rows = Math.floor(stepRows / segments.length);
  const [further] = await tx.query<{ gram: number | null }>(FURTHER, [segments, first, rows]);
  const { gram } = further!;
  const end = gram === null ? PARTS : Math.max(parts + 1, Math.floor((gram - FIRST_GRAM) / GRAMS_A_PART));
  return { grams: [first, FIRST_GRAM + end * GRAMS_A_PART - 1], parts: end, isLast: end === PARTS };
}
