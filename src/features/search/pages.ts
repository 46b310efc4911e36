import { type Db, isTimeout, type QueryOptions } from '../../platform/postgres/postgres.ts';
import type { PostRow } from '../posts/service.ts';
import { type TitledReplyRow, titledReplies } from '../replies/service.ts';
import { isSeparate, isUsable, noteLoss, type SearchDb } from './databases.ts';
import { gramsToLookUp } from './grams.ts';
import { indexedPieces, type Piece, type PostSearch, pieceOf } from './indexedPieces.ts';
import { FIRST_ROWS, holdsLongTerms, PAGE_MS, REPLIES_PAGE_MS, SLOW_MS } from './rules.ts';
import {
  type PostCriteria,
  type ReplyCriteria,
  type Stretch,
  visiblePosts,
  type Walked,
  walkPosts,
  walkReplies,
} from './store.ts';

/** A stretch has at most this many times the rows of the previous one. */
const GROWTH = 8;
const STRETCH_LIMIT: QueryOptions = { timeoutMs: 300 };
/** The time limits of three attempts at the first stretch. Each attempt has an eighth of the rows of the one before. */
const FIRST_LIMITS: readonly QueryOptions[] = [200, 200, 3_000].map((timeoutMs) => ({ timeoutMs }));

/** A part of a list; the list ends if `next` is undefined. */
export interface PartOfList<Row, Position> {
  readonly rows: Row[];
  readonly next?: Position;
}

/** Ids of a page: below `before`, and not below `floor`. */
export interface IdRange {
  readonly before: string;
  readonly floor: string;
}

/** Walks the newest posts, then uses the index, until `PAGE_MS` is over. A short or empty page can have a next one. */
export async function postsPage(
  db: SearchDb,
  criteria: PostCriteria,
  { before, floor }: IdRange,
  limit: number,
): Promise<PartOfList<PostRow, string>> {
  const startedAt = performance.now();
  const endsAt = startedAt + PAGE_MS;
  const found: PostRow[] = [];
  let [from, looked] = [before, 0];
  try {
    for await (const { postIds, next } of pieces({ db, criteria, limit: limit + 1 }, from, endsAt)) {
      const visible = await visiblePosts(
        db.posts,
        postIds.filter((id) => id >= floor),
      );
      found.push(...visible.filter(({ title, body }) => holdsLongTerms([title, body], criteria.terms)));
      from = next < floor ? '' : next;
      // The index is used even if the walk was slow.
      const isLate = performance.now() > (++looked > 1 ? endsAt : startedAt + SLOW_MS);
      if (found.length > limit || from === '' || isLate) break;
    }
  } catch (error) {
    // After some progress, the next page repeats a search that took too long.
    if (!isTimeout(error) || from === before) throw error;
  }
  if (found.length <= limit) return from === '' ? { rows: found } : { rows: found, next: from };
  const rows = found.slice(0, limit);
  return { rows, next: rows.at(-1)!.post_id };
}

async function* pieces(search: PostSearch, before: string, endsAt: number): AsyncGenerator<Piece> {
  const usesIndex = isIndexUseful(search.criteria);
  const startedAt = performance.now();
  let from = before;
  for await (const piece of walkedPieces(search, before, endsAt)) {
    yield piece;
    from = piece.next;
    if (usesIndex) break;
  }
  if (!usesIndex || from === '') return;
  const now = performance.now();
  const waitingRows = Math.max(FIRST_ROWS, nextRows(FIRST_ROWS, now - startedAt, endsAt - now));
  try {
    if (await isUsable(search.db))
      for await (const piece of indexedPieces(search, { before: from, waitingRows })) {
        yield piece;
        from = piece.next;
      }
  } catch (error) {
    if (!isSeparate(search.db) || !noteLoss(search.db, error)) throw error;
  }
  // Posts that are in no segment yet, or all posts if the index is lost.
  if (from !== '') yield* walkedPieces(search, from, endsAt);
}

/** A search for all posts of one author, community or type walks an ordinary index. */
function isIndexUseful({ terms, ...facts }: PostCriteria): boolean {
  const isList = terms.length === 0 && Object.values(facts).filter((fact) => fact !== undefined).length <= 1;
  return !isList && gramsToLookUp(terms, facts).all.length > 0;
}

/** Walks stretch by stretch. The first one is short, so that every page makes progress. */
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

/** Walks a stretch. After a timeout it retries with an eighth of the rows and the next limit. */
async function walkWithin<Position, Result>(
  stretch: Stretch<Position>,
  [limit, ...others]: readonly QueryOptions[],
  walk: (stretch: Stretch<Position>, options: QueryOptions) => Promise<Result>,
): Promise<Result> {
  try {
    return await walk(stretch, limit!);
  } catch (error) {
    if (!isTimeout(error) || others.length === 0) throw error;
    return walkWithin({ ...stretch, rows: Math.ceil(stretch.rows / GROWTH) }, others, walk);
  }
}

/** As many rows as fit into the time left at the pace of the last stretch, at most `GROWTH` times as many. */
function nextRows(rows: number, tookMs: number, leftMs: number): number {
  return Math.max(1, Math.floor(Math.min(rows * GROWTH, (rows * leftMs) / Math.max(tookMs, 0.1))));
}

/** Walks replies until `REPLIES_PAGE_MS` is over. A short or empty page can have a next one. */
export async function repliesPage(
  db: Db,
  criteria: ReplyCriteria,
  { before, floor }: IdRange,
  limit: number,
): Promise<PartOfList<TitledReplyRow, string>> {
  const endsAt = performance.now() + REPLIES_PAGE_MS;
  const found: TitledReplyRow[] = [];
  let [from, rows, limits] = [before, FIRST_ROWS, FIRST_LIMITS];
  try {
    while (from !== '' && found.length <= limit) {
      const startedAt = performance.now();
      const stretch = { from, rows, limit: limit + 1 };
      const { replyIds, edge } = await walkWithin(stretch, limits, (some, limited) =>
        walkReplies(db, criteria, some, limited),
      );
      const titled = await titledReplies(
        db,
        replyIds.filter((id) => id >= floor),
      );
      found.push(...titled.filter(({ body }) => holdsLongTerms([body], criteria.terms)));
      const next = replyIds.length > limit ? replyIds.at(-1)! : (edge ?? '');
      from = next < floor ? '' : next;
      const now = performance.now();
      if (now > endsAt) break;
      [rows, limits] = [nextRows(rows, now - startedAt, endsAt - now), [STRETCH_LIMIT]];
    }
  } catch (error) {
    // After some progress, the next page repeats a search that took too long.
    if (!isTimeout(error) || from === before) throw error;
  }
  if (found.length <= limit) return from === '' ? { rows: found } : { rows: found, next: from };
  const shown = found.slice(0, limit);
  return { rows: shown, next: shown.at(-1)!.reply_id };
}

/** Up to `limit` rows of a numbered list: one stretch per page. `looked` is how many rows were walked. */
export async function numberedPage<Row>(
  walk: (stretch: Stretch<number>, options: QueryOptions) => Promise<Walked<Row, number>>,
  numberOf: (row: Row) => number,
  { from, rows, limit }: Stretch<number>,
): Promise<PartOfList<Row, number> & { readonly looked: number }> {
  const { hits, edge, looked } = await walkWithin({ from, rows, limit: limit + 1 }, FIRST_LIMITS, walk);
  if (hits.length <= limit) return edge === null ? { rows: hits, looked } : { rows: hits, next: edge, looked };
  const shown = hits.slice(0, limit);
  return { rows: shown, next: numberOf(shown.at(-1)!), looked };
}
