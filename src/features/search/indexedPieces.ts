import type { QueryOptions } from '../../platform/postgres/postgres.ts';
import type { SearchDb } from './databases.ts';
import { gramsToLookUp } from './grams.ts';
import { type LookedUp, lookUp, postIdsAt } from './segments.ts';
import { matchingPosts, type PostCriteria, type WalkedPosts, walkWaiting } from './store.ts';

/** Segments that the first look-up of a page examines. The next ones examine more, while the page is not full. */
const FIRST_SEGMENTS = 64;
const MAX_SEGMENTS = 4_096;
/** Bytes of postings read per segment. The posting of a fact is longer than those of terms, and excludes more posts. */
const BYTES_PER_SEGMENT = 250;
const BYTES_PER_SEGMENT_WITH_FACTS = 1_000;
/** More would block the process for too long. */
const MAX_BYTES = 1_000_000;
/** Posts whose texts are checked at a time. */
const FIRST_CANDIDATES = 64;
const MAX_CANDIDATES = 512;
const GROWTH = 4;
/** After a look-up without a match: the remaining segments contain little, and each look-up is a round trip. */
const GROWTH_AFTER_NONE = 16;
const LIMIT: QueryOptions = { timeoutMs: 300 };

export interface PostSearch {
  readonly db: SearchDb;
  readonly criteria: PostCriteria;
  readonly limit: number;
}

/** All matches from the end of the previous piece down to `next`, newest first; `next` is '' at the end of the list. */
export interface Piece {
  readonly postIds: readonly string[];
  readonly next: string;
}

export function pieceOf({ postIds, edge }: WalkedPosts, limit: number): Piece {
  return { postIds, next: postIds.length === limit ? postIds.at(-1)! : (edge ?? '') };
}

/** Stops where posts are in no segment and not waiting, or the index is damaged; the caller walks from there. */
export async function* indexedPieces(
  search: PostSearch,
  { before, waitingRows }: { before: string; waitingRows: number },
): AsyncGenerator<Piece> {
  const { db, criteria, limit } = search;
  const grams = gramsToLookUp(criteria.terms, criteria);
  const perSegment = grams.facts.length > 0 ? BYTES_PER_SEGMENT_WITH_FACTS : BYTES_PER_SEGMENT;
  let from = before;
  while (from !== '') {
    // Waiting posts are read before segments: a post that moves meanwhile is found twice rather than missed.
    const stretch = { from, rows: waitingRows, limit };
    const waiting = pieceOf(await walkWaiting(db.posts, criteria, stretch, LIMIT), limit);
    let [count, bytes] = [FIRST_SEGMENTS, FIRST_SEGMENTS * perSegment];
    let left: LookedUp['left'];
    while (from > waiting.next) {
      const start = from;
      let growth = GROWTH_AFTER_NONE;
      const range = { before: from, downTo: waiting.next, count, bytes, left };
      const found = await lookUp(db.index, grams, range, LIMIT);
      const end = greatest([found.indexedDownTo, waiting.next]);
      for await (const { postIds, next } of segmentPieces(search, found, from, end)) {
        const others = waiting.postIds.filter((id) => id < from && id >= next);
        yield { postIds: [...new Set([...postIds, ...others])].toSorted().toReversed(), next };
        from = next;
        if (postIds.length > 0) growth = GROWTH;
      }
      if (from <= end && end === found.indexedDownTo) return;
      left = from <= above(found.rest ?? '') ? found.left : undefined;
      // The largest look-up made no progress: the segments name blocks that do not exist.
      if (from === start && bytes === MAX_BYTES) return;
      count = Math.min(count * growth, MAX_SEGMENTS);
      bytes = Math.min(bytes * growth, MAX_BYTES);
    }
  }
}

/** Checks the texts of probable matches, newest first, down to the last segment of a look-up, or to `end`. */
async function* segmentPieces(
  { db, criteria, limit }: PostSearch,
  found: LookedUp,
  before: string,
  end: string,
): AsyncGenerator<Piece> {
  const candidates = new Candidates(found, { before, end });
  for (let count = FIRST_CANDIDATES; ; count = Math.min(count * GROWTH, MAX_CANDIDATES)) {
    const postIds = await postIdsAt(db.index, candidates.take(count), LIMIT);
    // A block is gone: the next look-up finds the segment that replaced it.
    if (!postIds) return;
    yield* matchingPieces({ db, criteria, limit }, candidates.settle(postIds));
    if (candidates.isEmpty) return;
  }
}

/** The matches of a piece, at most `limit` at a time, so that the caller can continue within it. */
async function* matchingPieces({ db, criteria, limit }: PostSearch, { postIds, next }: Piece): AsyncGenerator<Piece> {
  for (let left = postIds; ; ) {
    const matching = await matchingPosts(db.posts, criteria, { postIds: left, limit }, LIMIT);
    const piece = pieceOf({ postIds: matching, edge: next }, limit);
    yield piece;
    if (piece.postIds.length < limit) return;
    left = left.filter((id) => id < piece.next);
  }
}

/** The upper bound of ids that begin with this one; `~` sorts after all characters of ids. */
export const above = (postId: string): string => `${postId}~`;
const greatest = (ids: readonly string[]): string => ids.toSorted().at(-1) ?? '';

/** An id is drawn before its post is stored, so blocks may overlap: settles a post once no newer one can follow. */
export class Candidates {
  readonly #range: { readonly before: string; readonly end: string };
  readonly #rest: string | null;
  readonly #blocks: LookedUp['matches'];
  #begun = 0;
  /** Places of the last block begun that were not taken yet. */
  #left: { readonly block: number; readonly place: number }[] = [];
  #unsettled: string[] = [];

  constructor({ matches, rest }: Pick<LookedUp, 'matches' | 'rest'>, range: { before: string; end: string }) {
    this.#range = range;
    this.#rest = rest;
    this.#blocks = matches.filter(({ newest }) => newest >= range.end);
  }

  /** The next `count` places, or fewer at the end. The caller reads their ids and passes them to `settle`. */
  take(count: number): { block: number; place: number }[] {
    const taken: { block: number; place: number }[] = [];
    while (taken.length < count && !this.isEmpty) {
      if (this.#left.length === 0) {
        const { block, places } = this.#blocks[this.#begun++]!;
        this.#left = places().map((place) => ({ block, place }));
      }
      taken.push(...this.#left.splice(0, count - taken.length));
    }
    return taken;
  }

  get isEmpty(): boolean {
    return this.#begun === this.#blocks.length && this.#left.length === 0;
  }

  /** The ids that no newer one can follow, down to `next`. The others are returned by a later call. */
  settle(taken: readonly string[]): Piece {
    const { before, end } = this.#range;
    const bounds = [this.#blocks[this.#begun]?.newest, this.#rest]
      .filter((bound) => typeof bound === 'string')
      .map(above);
    const next = greatest([end, ...bounds, ...(this.#left.length > 0 ? [taken.at(-1)!] : [])]);
    const known = [...new Set([...this.#unsettled, ...taken])];
    this.#unsettled = known.filter((id) => id < next);
    const postIds = known.filter((id) => id >= next && id < before);
    return { postIds, next: [next, before].toSorted()[0]! };
  }
}
