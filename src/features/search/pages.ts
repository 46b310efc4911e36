import type { Db, QueryOptions } from '../../platform/postgres/postgres.ts';
import type { PostRow } from '../posts/service.ts';
import { indexableRuns } from './rules.ts';
import { lookUpPosts, orUndefined, type PostCriteria, type Stretch, type Walked, walkPosts } from './store.ts';

/**
 * Newest first: walking finds common terms at once, the index finds rare ones. So a page walks a few thousand posts
 * first, which costs some milliseconds, and asks the index when that did not fill it, and as many of
 * those that it does not have yet. What the index does not know (one
 * or two characters, punctuation) is walked on until the time is over; the cursor then goes on from there.
 */
const FIRST_ROWS = 500;
const GROWTH = 8;
const ROWS_BEFORE_INDEX = 4_000;
const WALK_BEFORE_INDEX_MS = 25;
/** Nobody is known who asks: a search holds a core no longer, and goes on when it is asked to. */
const WALK_MS = 75;
/** Phrases of very common trigrams take the index seconds. */
const LOOK_UP_MS = 500;
/** For a stretch of much longer texts than the one before. */
const STRETCH_LIMIT: QueryOptions = { timeoutMs: 300 };
/**
 * Even posts of the greatest length are walked in that time; a database that is slower does not serve (docs/errors).
 */
const FIRST_STRETCH_LIMIT: QueryOptions = { timeoutMs: 3_000 };
/** One stretch a page: profiles are short, and so many take some ten milliseconds. */
const LISTED_ROWS = 20_000;

/** Where the posts of a search go on. */
export interface PostPosition {
  readonly beforePostId: string;
  /** The index was asked and did not answer in time: it is not asked again. */
  readonly walking: boolean;
}

/** A part of an answer; without `next` the list has ended. */
export interface Found<Row, Position> {
  readonly rows: Row[];
  readonly next?: Position;
}

/** Up to `limit` matching posts. The page may be short, even empty, and still have a next one. */
export async function postsPage(
  db: Db,
  criteria: PostCriteria,
  { beforePostId, walking }: PostPosition,
  limit: number,
): Promise<Found<PostRow, PostPosition>> {
  const askIndex = !walking && indexableRuns(criteria.terms).length > 0;
  const endsAt = performance.now() + (askIndex ? WALK_BEFORE_INDEX_MS : WALK_MS);
  const found: PostRow[] = [];
  let [from, seen, rows] = [beforePostId, 0, FIRST_ROWS];
  for (;;) {
    const startedAt = performance.now();
    const walked = await walkStretch(db, criteria, { from, rows, limit: limit + 1 - found.length }, seen === 0);
    if (walked) {
      found.push(...walked.hits);
      if (found.length > limit || walked.edge === null) return cut(found, limit, { beforePostId: null, walking });
      from = walked.edge;
      seen += rows;
    }
    const now = performance.now();
    const isLate = !walked || now > endsAt;
    if (askIndex && (isLate || seen >= ROWS_BEFORE_INDEX)) {
      const rest = { from, rows: ROWS_BEFORE_INDEX, limit: limit + 1 - found.length };
      const lookedUp = await lookUpPosts(db, criteria, rest, { timeoutMs: LOOK_UP_MS });
      if (!lookedUp) return { rows: found, next: { beforePostId: from, walking: true } };
      return cut([...found, ...lookedUp.hits], limit, { beforePostId: lookedUp.edge, walking });
    }
    if (isLate) return { rows: found, next: { beforePostId: from, walking } };
    rows = nextRows(rows, now - startedAt, endsAt - now);
  }
}

/** The first stretch is short, so that every page gets on; a later one that takes too long is left for the next page. */
async function walkStretch(db: Db, criteria: PostCriteria, stretch: Stretch<string>, isFirst: boolean) {
  if (isFirst) return walkPosts(db, criteria, stretch, FIRST_STRETCH_LIMIT);
  return orUndefined(walkPosts(db, criteria, stretch, STRETCH_LIMIT));
}

/** As many rows as fit into the time left, at the pace of the last stretch, but not many times more than in it. */
function nextRows(rows: number, tookMs: number, leftMs: number): number {
  return Math.max(1, Math.floor(Math.min(rows * GROWTH, (rows * leftMs) / Math.max(tookMs, 0.1))));
}

/** Of one row too many the page before goes on, else whatever is behind the stretch; null: nothing. */
function cut(
  rows: PostRow[],
  limit: number,
  { beforePostId, walking }: { beforePostId: string | null; walking: boolean },
): Found<PostRow, PostPosition> {
  if (rows.length > limit) {
    const page = rows.slice(0, limit);
    return { rows: page, next: { beforePostId: page.at(-1)!.post_id, walking } };
  }
  return beforePostId === null ? { rows } : { rows, next: { beforePostId, walking } };
}

/** Up to `limit` rows of a numbered list: one stretch a page. */
export async function numberedPage<Row>(
  walk: (stretch: Stretch<number>, options: QueryOptions) => Promise<Walked<Row, number>>,
  numberOf: (row: Row) => number,
  from: number,
  limit: number,
): Promise<Found<Row, number>> {
  const { hits, edge } = await walk({ from, rows: LISTED_ROWS, limit: limit + 1 }, FIRST_STRETCH_LIMIT);
  if (hits.length > limit) {
    const rows = hits.slice(0, limit);
    return { rows, next: numberOf(rows.at(-1)!) };
  }
  return edge === null ? { rows: hits } : { rows: hits, next: edge };
}
