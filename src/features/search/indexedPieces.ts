import type { QueryOptions } from '../../platform/postgres/postgres.ts';
import { above, Candidates, greatest } from './candidates.ts';
import type { SearchDb } from './databases.ts';
import { factGrams, termGrams } from './grams.ts';
import { type LookedUp, lookUp, postIdsAt } from './segments.ts';
import { matchingPosts, type PostCriteria, type WalkedPosts, walkWaiting } from './store.ts';

/**
 * Segments that are asked, how much of what they hold is read, and likely posts that are looked at at first, and ever more
 * while a page is not full: where a match stands in each segment of many blocks, these fill a page, and those of one block come
 * before.
 */
const FIRST_SEGMENTS = 64;
const MOST_SEGMENTS = 4_096;
/** Little of it is looked through in time. What a fact says narrows it to little, and is longer than all the rest. */
const BYTES_A_SEGMENT = 250;
const BYTES_A_FACT = 1_000;
/** What is read at once is gone through at once, while everybody else waits. */
const MOST_BYTES = 1_000_000;
const FIRST_CANDIDATES = 64;
const MOST_CANDIDATES = 512;
const GROWTH = 4;
/** While nothing was found: what is left holds little, and each look-up has a price of its own. */
const GROWTH_IN_VAIN = 16;
const LIMIT: QueryOptions = { timeoutMs: 300 };

/** How many segments a look-up asks, and how much it reads of them. */
interface Extent {
  readonly count: number;
  readonly bytes: number;
}

/** After a page that was not filled. */
function extended({ count, bytes }: Extent, growth: number): Extent {
  return { count: Math.min(count * growth, MOST_SEGMENTS), bytes: Math.min(bytes * growth, MOST_BYTES) };
}

/** What a page looks for; `limit` is how many hits are enough. */
export interface PostSearch {
  readonly db: SearchDb;
  readonly criteria: PostCriteria;
  readonly limit: number;
}

/** All that matches from where the piece before ended down to `next`, the newest first; '' is the end of the list. */
export interface Piece {
  readonly postIds: readonly string[];
  readonly next: string;
}

/** Of a stretch that was to have at most `limit` hits. */
export function pieceOf({ postIds, edge }: WalkedPosts, limit: number): Piece {
  return { postIds, next: postIds.length === limit ? postIds.at(-1)! : (edge ?? '') };
}

/**
 * What posts before an id match, by the segments and those posts that wait for one, which are walked so many at a time, down
 * to where posts begin that are neither here nor there, or to where the index is broken.
 */
export async function* indexedPieces(
  search: PostSearch,
  { grams, before, waitingRows }: { grams: readonly number[]; before: string; waitingRows: number },
): AsyncGenerator<Piece> {
  const { db, criteria, limit } = search;
  const [facts, terms] = [factGrams(criteria), termGrams(criteria.terms)];
  let from = before;
  while (from !== '') {
    // First what waits, then the segments: what is moved meanwhile is seen twice and not lost.
    const stretch = { from, rows: waitingRows, limit };
    const waiting = pieceOf(await walkWaiting(db.posts, criteria, stretch, LIMIT), limit);
    let extent: Extent = {
      count: FIRST_SEGMENTS,
      bytes: FIRST_SEGMENTS * (facts.length > 0 ? BYTES_A_FACT : BYTES_A_SEGMENT),
    };
    let left: LookedUp['left'];
    while (from > waiting.next) {
      const asked = from;
      let isVain = true;
      const range = { before: from, downTo: waiting.next, ...extent, facts, terms, left };
      const found = await lookUp(db.index, grams, range, LIMIT);
      const end = greatest([found.indexedDownTo, waiting.next]);
      for await (const { postIds, next } of segmentPieces(search, found, from, end)) {
        const others = waiting.postIds.filter((id) => id < from && id >= next);
        yield { postIds: [...new Set([...postIds, ...others])].toSorted().toReversed(), next };
        from = next;
        if (postIds.length > 0) isVain = false;
      }
      if (from <= end && end === found.indexedDownTo) return;
      left = from <= above(found.rest ?? '') ? found.left : undefined;
      // Asked again and again the index gets no further: what it names is not there.
      if (from === asked && extent.bytes === MOST_BYTES) return;
      extent = extended(extent, isVain ? GROWTH_IN_VAIN : GROWTH);
    }
  }
}

/** What is likely to match is looked at, the newest first, down to what some segments tell of, or to `end`. */
async function* segmentPieces(
  { db, criteria, limit }: PostSearch,
  found: LookedUp,
  before: string,
  end: string,
): AsyncGenerator<Piece> {
  const candidates = new Candidates(found, { before, end });
  for (let count = FIRST_CANDIDATES; ; count = Math.min(count * GROWTH, MOST_CANDIDATES)) {
    const places = candidates.take(count);
    const postIds = await postIdsAt(db.index, places, LIMIT);
    // Asked anew, the index has no such block.
    if (!postIds) return;
    yield* matchingPieces({ db, criteria, limit }, candidates.settle(postIds));
    if (candidates.areLooked) return;
  }
}

/** What of a piece matches, at most `limit` at a time: whoever cannot see all of those goes on within it. */
async function* matchingPieces({ db, criteria, limit }: PostSearch, { postIds, next }: Piece): AsyncGenerator<Piece> {
  for (let left = postIds; ; ) {
    const matching = await matchingPosts(db.posts, criteria, { postIds: left, limit }, LIMIT);
    const piece = pieceOf({ postIds: matching, edge: next }, limit);
    yield piece;
    if (piece.postIds.length < limit) return;
    left = left.filter((id) => id < piece.next);
  }
}
