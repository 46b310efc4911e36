import type { Db, QueryOptions } from '../../platform/postgres.ts';
import type { PostRow } from '../posts/store.ts';
import { lookUpPosts, orUndefined, type PostCriteria, type Stretch, type Walked, walkPosts } from './store.ts';

/**
 * Newest first: walking finds common terms at once, the index finds rare ones. So a page walks a few thousand posts
 * first, which costs some milliseconds, and asks the index when that did not fill it. What the index does not know (one
 * or two characters, punctuation) is walked on until the time is over; the cursor then goes on from there.
 */
const FIRST_ROWS = 500;
const GROWTH = 8;
const ROWS_BEFORE_INDEX = 4_000;
const WALK_MS = 75;
/** Phrases of very common trigrams take the index seconds. */
const LOOK_UP_MS = 500;
/** A stretch that turns out to be of much longer texts than the one before. */
const STRETCH_LIMIT: QueryOptions = { timeoutMs: 300 };
/** Even posts of the greatest length are walked in that time. */
const FIRST_STRETCH_LIMIT: QueryOptions = { timeoutMs: 3_000 };
/** Profiles are short: some ten milliseconds. */
const LISTED_ROWS = 20_000;

/** Where the posts of a search go on. */
export interface PostPosition {
  readonly beforePostId: string;
  /** The index was asked and is of no use for these terms. */
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
  const startedAt = performance.now();
  const rows: PostRow[] = [];
  let from = beforePostId;
  let seen = 0;
  let askIndex = !walking;
  for (let stretch = FIRST_ROWS; ; ) {
    const stretchStartedAt = performance.now();
    const options = seen === 0 ? FIRST_STRETCH_LIMIT : STRETCH_LIMIT;
    const wanted = limit + 1 - rows.length;
    const walked = await orUndefined(walkPosts(db, criteria, { from, rows: stretch, limit: wanted }, options));
    if (!walked) return { rows, next: { beforePostId: from, walking } };
    rows.push(...walked.hits);
    if (rows.length > limit) return cut(rows, limit, walking);
    if (walked.edge === null) return { rows };
    from = walked.edge;
    seen += stretch;
    if (askIndex && seen >= ROWS_BEFORE_INDEX) {
      const rest = { from, limit: limit + 1 - rows.length };
      const lookedUp = await lookUpPosts(db, criteria, rest, { timeoutMs: LOOK_UP_MS });
      if (lookedUp) return cut([...rows, ...lookedUp], limit, walking);
      askIndex = false;
    }
    const now = performance.now();
    const leftMs = WALK_MS - (now - startedAt);
    if (leftMs <= 0) return { rows, next: { beforePostId: from, walking: !askIndex } };
    stretch = nextStretch(stretch, now - stretchStartedAt, leftMs);
  }
}

/** As many rows as fit into the time left, at the pace of the last stretch, but not many times more than in it. */
function nextStretch(rows: number, tookMs: number, leftMs: number): number {
  return Math.max(1, Math.floor(Math.min(rows * GROWTH, (rows * leftMs) / Math.max(tookMs, 0.1))));
}

function cut(rows: PostRow[], limit: number, walking: boolean): Found<PostRow, PostPosition> {
  if (rows.length <= limit) return { rows };
  const page = rows.slice(0, limit);
  return { rows: page, next: { beforePostId: page.at(-1)!.post_id, walking } };
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
