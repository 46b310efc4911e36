/**
 * Orders of posts other than by time (docs/reading#orders). A trigger on the outbox keeps the ranks of `top` and
 * `active`; `bounty` and `solved` are orders of the table of questions.
 */
import { type Db, exactTime, oneValue, type Postgres, sql } from '../../platform/postgres/postgres.ts';
import { idFloor } from '../../protocol/ids.ts';
import { betweenDeliveries } from '../../recording/outbox.ts';
import { ERASURES } from '../agents/service.ts';
import { isPublicCommunity } from '../communities/service.ts';
import { SINCE_DAYS } from './rules.ts';
import type { PostOrder, Since } from './schemas.ts';
import type { PostRow } from './store.ts';

const POSTS_A_BATCH = 500;
/** Deliveries wait for one batch at a time. */
const BATCHES_A_RUN = 20;
const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
/** Ranks of one statement: one more than most pages have. */
export const RANKS = 21;

const walk = oneValue<number, [limit: number]>('posts.rankWalk', 'SELECT release.rank_walk($1) AS posts');

/** Compares ranks with the states of posts, after an upgrade or a change of a community; returns of how many posts. */
export async function walkRanks(db: Postgres): Promise<number> {
  let total = 0;
  for (let count = 0; count < BATCHES_A_RUN; count++) {
    const posts = (await betweenDeliveries(db, (transaction) => walk(transaction, POSTS_A_BATCH)))!;
    total += posts;
    if (posts === 0) break;
  }
  return total;
}

export type RankedOrder = Exclude<PostOrder, 'newest'>;

/** A rank is text, which is exact. */
export interface RankPosition {
  readonly rank: string;
  readonly postId: string;
}

export interface RankSelection {
  readonly order: RankedOrder;
  /** At most one of these three, and none with `since` or the orders of questions: only such lists have an index. */
  readonly authorId?: string | undefined;
  readonly communitySlug?: string | undefined;
  readonly postType?: string | undefined;
  /** Of `top` only: posts of this window, until `nowMs`. */
  readonly since?: Exclude<Since, 'all'> | undefined;
  readonly nowMs: number;
  readonly below: RankPosition | undefined;
}

const BY_NUMBER = { type: 'integer', first: '2147483647', text: 'ranks.sorted::text' } as const;
const BY_TIME = { type: 'timestamptz', first: 'infinity', text: exactTime('ranks.sorted') } as const;
const ORDERS = {
  top: { from: 'post_ranks k', only: '', column: 'score', ...BY_NUMBER },
  active: { from: 'post_ranks k', only: '', column: 'active_at', ...BY_TIME },
  bounty: {
    from: 'questions k',
    only: "k.state = 'open' AND k.bounty_stake IS NOT NULL AND",
    column: 'bounty_stake',
    ...BY_NUMBER,
  },
  solved: { from: 'questions k', only: "k.state = 'solved' AND", column: 'resolved_at', ...BY_TIME },
} as const;

/** The ranks below a position, highest first. `values`: $1 and $2, `first`, then those of the filter. */
function ranksBelow(selection: RankSelection, first: readonly unknown[]) {
  const { order, authorId, communitySlug, postType, since, below } = selection;
  const { from, only, column, type, first: highest } = ORDERS[order];
  const values: unknown[] = [below?.rank ?? highest, below?.postId ?? '~', ...first];
  const ranks = (condition: string) =>
    `SELECT k.post_id, k.${column} AS sorted FROM ${from}
     WHERE ${only} ${condition} (k.${column}, k.post_id) < ($1::${type}, $2)
     ORDER BY k.${column} DESC, k.post_id DESC LIMIT ${RANKS}`;
  if (since !== undefined) {
    const { hours, days, floor } = bucketsOf(since, selection.nowMs);
    const add = (value: unknown) => `$${values.push(value)}`;
    const inBuckets = (buckets: string, condition: string) =>
      `SELECT k.* FROM unnest(${buckets}::integer[]) AS bucket (n) CROSS JOIN LATERAL (${ranks(`${condition} AND`)}) k`;
    const text = `SELECT * FROM (
        ${inBuckets(add(days), 'k.created_hour / 24 = bucket.n')}
        UNION ALL ${inBuckets(add(hours), `k.created_hour = bucket.n AND k.post_id > ${add(floor)}`)}) k
      ORDER BY k.sorted DESC, k.post_id DESC LIMIT ${RANKS}`;
    return { name: `${order}.since`, text, values };
  }
  const filters = { author_id: authorId, community_slug: communitySlug, post_type: postType };
  const filter = Object.entries(filters).find(([, value]) => value !== undefined);
  if (filter === undefined) return { name: order, text: ranks(''), values };
  return { name: `${order}.${filter[0]}`, text: ranks(`k.${filter[0]} = $${values.push(filter[1])} AND`), values };
}

/** A window as whole days, and the hours of its first day. `floor` cuts the first hour. */
function bucketsOf(since: Exclude<Since, 'all'>, nowMs: number) {
  const fromMs = nowMs - SINCE_DAYS[since] * DAY_HOURS * HOUR_MS;
  const firstHour = Math.floor(fromMs / HOUR_MS);
  const firstDay = Math.floor(firstHour / DAY_HOURS) + 1;
  // One more day: another process may have a clock that is ahead.
  const lastDay = Math.floor(nowMs / HOUR_MS / DAY_HOURS) + 1;
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
  return {
    hours: range(firstHour, firstDay * DAY_HOURS),
    days: range(firstDay, lastDay + 1),
    floor: idFloor('p_', fromMs),
  };
}

const SORTED = 'ORDER BY ranks.sorted DESC, ranks.post_id DESC';

/** `row` is null if the caller cannot see the post: removals reach the ranks a moment later. */
export interface RankedPost extends RankPosition {
  readonly row: PostRow | null;
}

/** Returns the next ranks with their posts; fewer than `RANKS` at the end of the list. */
export async function rankedPosts(db: Db, callerId: string | null, selection: RankSelection): Promise<RankedPost[]> {
  const { name, text, values } = ranksBelow(selection, [callerId]);
  const statement = sql(
    `posts.ranked.${name}`,
    `SELECT v.*, ranks.post_id AS ranked_id, ${ORDERS[selection.order].text} AS rank FROM (${text}) ranks
     LEFT JOIN LATERAL (SELECT * FROM release.visible_posts($3) v WHERE v.post_id = ranks.post_id LIMIT 1) v ON true
     ${SORTED}`,
  );
  const rows = await db.query<PostRow & { ranked_id: string; rank: string }>(statement, values);
  return rows.map(({ ranked_id: postId, rank, ...row }) => ({ postId, rank, row: row.post_id === null ? null : row }));
}

/** Null if the community is not public, or a post on the page cannot be seen or proposes an amendment. */
export async function rankedVersion(db: Db, selection: RankSelection): Promise<string | null> {
  const { name, text, values } = ranksBelow(selection, []);
  // $3 is the first parameter of the filter, here the community.
  const isSeen = selection.communitySlug === undefined ? '' : `AND ${isPublicCommunity('$3')}`;
  const statement = sql(
    `posts.rankedVersion.${name}`,
    `SELECT CASE WHEN bool_and(shown.version IS NOT NULL) IS NOT FALSE ${isSeen}
       THEN concat(string_agg(shown.post_id || shown.version, ''), ${ERASURES}) END AS version
     FROM (
       SELECT ranks.post_id, v.version FROM (${text}) ranks
       LEFT JOIN LATERAL (
         SELECT s.version FROM post_states s JOIN posts p ON p.post_id = s.post_id
         LEFT JOIN community_states r ON r.slug = p.community_slug AND r.removed
         WHERE s.post_id = ranks.post_id
           AND release.may_see_post(NULL, s.removed, p.community_slug, r.slug IS NOT NULL, p.hidden)
         LIMIT 1) v ON true
       ${SORTED}) shown`,
  );
  const [row] = await db.query<{ version: string | null }>(statement, values);
  return row?.version ?? null;
}
