import { isTimeout, type QueryOptions } from '../../platform/postgres/postgres.ts';
import type { PostRow } from '../posts/service.ts';
import type { SearchDb } from './databases.ts';
import { gramsToLookUp } from './grams.ts';
import { indexedPieces, type Piece, type PostSearch, pieceOf } from './indexedPieces.ts';
import { isLoss, mayBeAsked } from './indexHealth.ts';
import { FIRST_ROWS, holdsLongTerms, PAGE_MS, SLOW_MS } from './rules.ts';
import { type PostCriteria, type Stretch, visiblePosts, type Walked, walkPosts } from './store.ts';

/** So many times more are walked in a stretch than in the one before. */
const GROWTH = 8;
/** For a stretch of much longer texts than the one before. */
const STRETCH_LIMIT: QueryOptions = { timeoutMs: 300 };
/** How the first stretch is tried, each time with an eighth of the rows: a database that does not walk those does not serve. */
const FIRST_LIMITS: readonly QueryOptions[] = [200, 200, 3_000].map((timeoutMs) => ({ timeoutMs }));

/** A part of an answer; without `next` the list has ended. */
export interface Found<Row, Position> {
  readonly rows: Row[];
  readonly next?: Position;
}

/**
 * Up to `limit` matching posts before an id, newest first: walking finds common terms at once, the index rare ones. So a page
 * walks the newest posts first, and asks the segments when that did not fill it, the newest first, until it is full or the
 * time is over (`rules.ts`); it may be short, even empty, and still have a next one, which goes on from there.
 */
export async function postsPage(
  db: SearchDb,
  criteria: PostCriteria,
  beforePostId: string,
  limit: number,
): Promise<Found<PostRow, string>> {
  const startedAt = performance.now();
  const endsAt = startedAt + PAGE_MS;
  const found: PostRow[] = [];
  let [from, looked] = [beforePostId, 0];
  try {
    for await (const { postIds, next } of pieces({ db, criteria, limit: limit + 1 }, from, endsAt)) {
      const visible = await visiblePosts(db.posts, postIds);
      found.push(...visible.filter(({ title, body }) => holdsLongTerms([title, body], criteria.terms)));
      from = next;
      // Slow as it may be to walk, the segments are asked.
      const isLate = performance.now() > (++looked > 1 ? endsAt : startedAt + SLOW_MS);
      if (found.length > limit || from === '' || isLate) break;
    }
  } catch (error) {
    // What takes too long is left for the next page, once this one has got on.
    if (!isTimeout(error) || from === beforePostId) throw error;
  }
  if (found.length <= limit) return from === '' ? { rows: found } : { rows: found, next: from };
  const rows = found.slice(0, limit);
  return { rows, next: rows.at(-1)!.post_id };
}

async function* pieces(search: PostSearch, before: string, endsAt: number): AsyncGenerator<Piece> {
  const grams = whatToLookUp(search.criteria);
  const startedAt = performance.now();
  let from = before;
  for await (const piece of walkedPieces(search, before, endsAt)) {
    yield piece;
    from = piece.next;
    if (grams.length > 0) break;
  }
  if (grams.length === 0 || from === '') return;
  const now = performance.now();
  const waitingRows = Math.max(FIRST_ROWS, nextRows(FIRST_ROWS, now - startedAt, endsAt - now));
  try {
    if (await mayBeAsked(search.db))
      for await (const piece of indexedPieces(search, { grams, before: from, waitingRows })) {
        yield piece;
        from = piece.next;
      }
  } catch (error) {
    if (!isLoss(search.db, error)) throw error;
  }
  // What is in no segment yet, and all when the index is lost.
  if (from !== '') yield* walkedPieces(search, from, endsAt);
}

/** Nothing where the posts of one author, community or type are just what is looked for: an index of theirs has them. */
function whatToLookUp({ terms, ...facts }: PostCriteria): number[] {
  const isList = terms.length === 0 && Object.values(facts).filter((fact) => fact !== undefined).length <= 1;
  return isList ? [] : gramsToLookUp(terms, facts);
}

/** The first stretch is short, so that every page gets on. */
async function* walkedPieces({ db, criteria, limit }: PostSearch, before: string, endsAt: number) {
  let [from, rows, limits] = [before, FIRST_ROWS, FIRST_LIMITS];
  for (;;) {
    const startedAt = performance.now();
    const stretch = { from, rows, limit };
    const piece = pieceOf(
      await walkWithin(stretch, limits, (some, limited) => walkPosts(db.posts, criteria, some, limited)),
      limit,
    );
    yield piece;
    from = piece.next;
    const now = performance.now();
    [rows, limits] = [nextRows(rows, now - startedAt, endsAt - now), [STRETCH_LIMIT]];
  }
}

/** Walks a stretch, or an eighth of it when that takes too long, as often as there are limits. */
async function walkWithin<Position, Answer>(
  stretch: Stretch<Position>,
  [limit, ...others]: readonly QueryOptions[],
  walk: (stretch: Stretch<Position>, options: QueryOptions) => Promise<Answer>,
): Promise<Answer> {
  try {
    return await walk(stretch, limit!);
  } catch (error) {
    if (!isTimeout(error) || others.length === 0) throw error;
    return walkWithin({ ...stretch, rows: Math.ceil(stretch.rows / GROWTH) }, others, walk);
  }
}

/** As many rows as fit into the time left, at the pace of the last stretch, but not many times more than in it. */
function nextRows(rows: number, tookMs: number, leftMs: number): number {
  return Math.max(1, Math.floor(Math.min(rows * GROWTH, (rows * leftMs) / Math.max(tookMs, 0.1))));
}

/** Of a numbered list; `looked` is how many rows were walked. */
export type FoundListed<Row> = Found<Row, number> & { readonly looked: number };

/** Up to `limit` rows of a numbered list: one stretch a page. */
export async function numberedPage<Row>(
  walk: (stretch: Stretch<number>, options: QueryOptions) => Promise<Walked<Row, number>>,
  numberOf: (row: Row) => number,
  { from, rows, limit }: Stretch<number>,
): Promise<FoundListed<Row>> {
  const { hits, edge, looked } = await walkWithin({ from, rows, limit: limit + 1 }, FIRST_LIMITS, walk);
  if (hits.length > limit) {
    const shown = hits.slice(0, limit);
    return { rows: shown, next: numberOf(shown.at(-1)!), looked };
  }
  return edge === null ? { rows: hits, looked } : { rows: hits, next: edge, looked };
}
