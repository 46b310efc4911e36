import { setImmediate as letOthersRun } from 'node:timers/promises';
import { type Db, manyRows, noRows, oneValue, sql } from '../../platform/postgres/postgres.ts';
import { changeIndex, type SearchDatabases } from './databases.ts';
import { type IndexSizes, type PlacesByBlock, withoutPlaces } from './postings.ts';
import { IDS_PER_ROW } from './segments.ts';
import { nextStep, readPostings } from './storedPostings.ts';

const POSTS_PER_STEP = 128;

/** Posts whose erasure has begun come first. */
const findNext = oneValue<string>(
  'search.nextErased',
  'SELECT post_id FROM search_erased ORDER BY parts_done DESC, post_id LIMIT 1',
);
/** A post and later ones that have the same number of parts done. */
const erasedAlike = manyRows<{ post_id: string; parts_done: number }, [from: string, limit: number]>(
  'search.erasedAlike',
  `SELECT e.post_id, e.parts_done FROM search_erased e JOIN search_erased next ON next.parts_done = e.parts_done
   WHERE next.post_id = $1 AND e.post_id >= $1 ORDER BY e.post_id LIMIT $2`,
);
const PLACES = sql(
  'search.placesOf',
  `SELECT e.post_id, s.segment, cardinality(s.blocks) AS blocks, (b.number - 1)::integer AS block, (p.part * $2::integer + ids.number - 1)::integer AS place
   FROM unnest($1::text[]) AS e (post_id)
   JOIN search_segments s ON s.oldest <= e.post_id AND s.newest >= e.post_id
   CROSS JOIN LATERAL unnest(s.blocks, s.blocks_oldest, s.blocks_newest) WITH ORDINALITY AS b (block, oldest, newest, number)
   JOIN search_block_posts p ON p.block = b.block
   CROSS JOIN LATERAL unnest(p.post_ids) WITH ORDINALITY AS ids (post_id, number)
   WHERE b.oldest <= e.post_id AND b.newest >= e.post_id AND ids.post_id = e.post_id`,
);
const SHORTEN = sql(
  'search.shortenPostings',
  `UPDATE search_postings p SET posts = c.posts FROM (
     SELECT gram, substr($2::bytea, (sum(length) OVER (ROWS UNBOUNDED PRECEDING) - length)::integer + 1, length) AS posts
     FROM unnest($3::integer[], $4::integer[]) AS l (gram, length)
   ) c WHERE p.segment = $1 AND p.gram = c.gram`,
);
const REMOVE = sql('search.removePostings', 'DELETE FROM search_postings WHERE segment = $1 AND gram = ANY ($2)');
const setPartsDone = noRows<[postIds: readonly string[], parts: number]>(
  'search.erasedParts',
  'UPDATE search_erased SET parts_done = $2 WHERE post_id = ANY ($1)',
);
const setDone = noRows<[postIds: readonly string[]]>(
  'search.erasedAll',
  'DELETE FROM search_erased WHERE post_id = ANY ($1)',
);

/** Removes the next erased post, and others in the same segments, from postings; false if there is nothing to do. */
export async function eraseNextPart(databases: SearchDatabases, sizes: IndexSizes): Promise<boolean> {
  if ((await findNext(databases.posts)) === undefined) return false;
  return changeIndex(databases, async ({ posts, index }) => {
    const next = await findNext(posts);
    if (next === undefined) return false;
    const erased = await erasedAlike(posts, next, POSTS_PER_STEP);
    const { postIds, segments, mostBlocks } = await inSameSegments(
      index,
      erased.map(({ post_id }) => post_id),
    );
    const numbers = [...segments.keys()];
    // Postings of larger segments are longer, and a step holds all of its postings in memory.
    const stepRows = Math.ceil(sizes.stepRows / Math.max(1, mostBlocks / sizes.segmentBlocks));
    const step =
      numbers.length > 0 ? await nextStep(index, numbers, erased[0]!.parts_done, { ...sizes, stepRows }) : undefined;
    if (step) for (const [segment, gone] of segments) await clearPlaces(index, segment, gone, step.grams);
    if (step && !step.isLast) await setPartsDone(posts, postIds, step.parts);
    else await setDone(posts, postIds);
    return true;
  });
}

/** Posts in exactly the segments of the first one, with their places and the blocks of the largest segment. */
async function inSameSegments(tx: Db, postIds: readonly string[]) {
  const places = await tx.query<PostPlace>(PLACES, [postIds, IDS_PER_ROW]);
  const placesOf = new Map(postIds.map((id) => [id, places.filter(({ post_id }) => post_id === id)]));
  const segmentsOf = (id: string) => [...new Set(placesOf.get(id)!.map(({ segment }) => segment))].toSorted().join();
  const alike = postIds.filter((id) => segmentsOf(id) === segmentsOf(postIds[0]!));
  const segments = new Map<number, Map<number, Set<number>>>();
  for (const { segment, block, place } of alike.flatMap((id) => placesOf.get(id)!)) {
    const blocks = segments.get(segment) ?? new Map<number, Set<number>>();
    segments.set(segment, blocks.set(block, (blocks.get(block) ?? new Set()).add(place)));
  }
  const mostBlocks = Math.max(0, ...placesOf.get(postIds[0]!)!.map(({ blocks }) => blocks));
  return { postIds: alike, segments, mostBlocks };
}

interface PostPlace {
  readonly post_id: string;
  readonly segment: number;
  readonly blocks: number;
  /** The place of the post's block in the segment. */
  readonly block: number;
  readonly place: number;
}

async function clearPlaces(
  tx: Db,
  segment: number,
  gone: PlacesByBlock,
  grams: readonly [number, number],
): Promise<void> {
  const rows = await readPostings(tx, segment, ...grams);
  await letOthersRun();
  const changed = rows
    .map(({ gram, posts }) => ({ gram, posts, rest: withoutPlaces(posts, gone) }))
    .filter(({ posts, rest }) => rest !== posts);
  const left = changed.filter(({ rest }) => rest.length > 0);
  const bytes = Buffer.concat(left.map(({ rest }) => rest));
  await tx.query(SHORTEN, [segment, bytes, left.map(({ gram }) => gram), left.map(({ rest }) => rest.length)]);
  const emptied = changed.filter(({ rest }) => rest.length === 0).map(({ gram }) => gram);
  await tx.query(REMOVE, [segment, emptied]);
}
