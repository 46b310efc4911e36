import { type Db, type Postgres, sql } from '../../platform/postgres/postgres.ts';
import { lockIndex } from './merging.ts';
import { nextStep } from './parts.ts';
import { type IndexSizes, withoutPlace } from './postings.ts';
import { PART_POSTS } from './segments.ts';

const NEXT = sql('search.nextErased', 'SELECT post_id, parts_done FROM search_erased ORDER BY post_id LIMIT 1');
/** The segments, of any state, that have a post, and its place there. */
const PLACES = sql(
  'search.placesOf',
  `SELECT s.segment, (b.number - 1)::integer AS block, (p.part * $2::integer + ids.number - 1)::integer AS place
   FROM search_segments s
   CROSS JOIN LATERAL unnest(s.blocks, s.blocks_oldest, s.blocks_newest) WITH ORDINALITY AS b (block, oldest, newest, number)
   JOIN search_block_posts p ON p.block = b.block
   CROSS JOIN LATERAL unnest(p.post_ids) WITH ORDINALITY AS ids (post_id, number)
   WHERE s.oldest <= $1 AND s.newest >= $1 AND b.oldest <= $1 AND b.newest >= $1 AND ids.post_id = $1`,
);
const PART = sql(
  'search.postingsPart',
  'SELECT gram, posts FROM search_postings WHERE segment = $1 AND gram BETWEEN $2 AND $3',
);
const SHORTEN = sql(
  'search.shortenPostings',
  `UPDATE search_postings p SET posts = c.posts FROM (
     SELECT gram, substr($2::bytea, (sum(length) OVER (ROWS UNBOUNDED PRECEDING) - length)::integer + 1, length) AS posts
     FROM unnest($3::integer[], $4::integer[]) AS l (gram, length)
   ) c WHERE p.segment = $1 AND p.gram = c.gram`,
);
const REMOVE = sql('search.removePostings', 'DELETE FROM search_postings WHERE segment = $1 AND gram = ANY ($2)');
const PARTS_DONE = sql('search.erasedParts', 'UPDATE search_erased SET parts_done = $2 WHERE post_id = $1');
const DONE = sql('search.erasedAll', 'DELETE FROM search_erased WHERE post_id = $1');

/** Takes a part of what the index has of an erased post out of it; false: nothing is left to be taken out. */
export async function eraseNextPart(db: Postgres, sizes: IndexSizes): Promise<boolean> {
  if ((await db.query(NEXT)).length === 0) return false;
  return db.inTransaction(async (tx) => {
    await lockIndex(tx);
    const [next] = await tx.query<{ post_id: string; parts_done: number }>(NEXT);
    if (!next) return false;
    const places = await tx.query<Placed>(PLACES, [next.post_id, PART_POSTS]);
    const segments = places.map(({ segment }) => segment);
    const step = segments.length > 0 ? await nextStep(tx, segments, next.parts_done, sizes) : undefined;
    if (step) for (const placed of places) await clearPlace(tx, placed, step.grams);
    if (step && !step.isLast) await tx.query(PARTS_DONE, [next.post_id, step.parts]);
    else await tx.query(DONE, [next.post_id]);
    return true;
  });
}

interface Placed {
  readonly segment: number;
  /** Its number in the segment. */
  readonly block: number;
  readonly place: number;
}

async function clearPlace(tx: Db, { segment, block, place }: Placed, grams: readonly [number, number]): Promise<void> {
  const rows = await tx.query<{ gram: number; posts: Buffer }>(PART, [segment, ...grams]);
  const changed = rows
    .map(({ gram, posts }) => ({ gram, posts, rest: withoutPlace(posts, block, place) }))
    .filter(({ posts, rest }) => rest !== posts);
  const left = changed.filter(({ rest }) => rest.length > 0);
  const bytes = Buffer.concat(left.map(({ rest }) => rest));
  await tx.query(SHORTEN, [segment, bytes, left.map(({ gram }) => gram), left.map(({ rest }) => rest.length)]);
  const emptied = changed.filter(({ rest }) => rest.length === 0);
  await tx.query(REMOVE, [segment, emptied.map(({ gram }) => gram)]);
}
