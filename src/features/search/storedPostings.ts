import { type Db, sql } from '../../platform/postgres/postgres.ts';
import type { Encoded } from './postings.ts';

/** Grams that are stored by a statement, whose time is limited: a block of long texts has hundreds of thousands. */
const PUT_GRAMS = 16_384;

const OF_GRAMS = sql(
  'search.postingsOfGrams',
  'SELECT gram, posts FROM search_postings WHERE segment = $1 AND gram BETWEEN $2 AND $3 ORDER BY gram',
);
const PUT = sql(
  'search.putPostings',
  `INSERT INTO search_postings (segment, gram, posts)
   SELECT $1, gram, substr($2::bytea, (sum(length) OVER (ROWS UNBOUNDED PRECEDING) - length)::integer + 1, length)
   FROM unnest($3::integer[], $4::integer[]) AS p (gram, length)`,
);

/** What a segment stores of a gram. */
interface Posting {
  readonly gram: number;
  readonly posts: Buffer;
}

/** What a segment stores of the grams from the first to the last, in their order. */
export const postingsOf = (db: Db, segment: number, [first, last]: readonly [number, number]): Promise<Posting[]> =>
  db.query<Posting>(OF_GRAMS, [segment, first, last]);

/** Stores of a segment what it does not have yet. */
export async function putPostings(tx: Db, segment: number, { grams, lengths, bytes }: Encoded): Promise<void> {
  let at = 0;
  for (let from = 0; from < grams.length; from += PUT_GRAMS) {
    const [some, lengthsOfSome] = [grams, lengths].map((all) => [...all.subarray(from, from + PUT_GRAMS)]);
    const end = lengthsOfSome!.reduce((sum, length) => sum + length, at);
    await tx.query(PUT, [segment, bytes.subarray(at, end), some, lengthsOfSome]);
    at = end;
  }
}
