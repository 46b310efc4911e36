import { type Db, sql } from '../../platform/postgres/postgres.ts';
import { MAX_PROBLEMS, type Sliced, slices } from '../../platform/postgres/slices.ts';

/** The latest reply of each post is looked up, so that a slice is shorter than others. */
const POSTS = 5_000;

interface Slice {
  readonly ids: string[] | null;
  readonly last: string;
}

/**
 * Posts whose rank differs from their state. Leaves out posts with an event that is not delivered, and those that a
 * walk will compare (`rank_walk`): their rank changes later.
 */
const RANKS: Sliced = {
  start: '',
  statement: sql(
    'posts.verifyRanks',
    `WITH slice AS MATERIALIZED (
       SELECT p.post_id, p.hidden, p.created_at, p.community_slug, p.author_id, p.post_type FROM posts p
       WHERE p.post_id > $1 ORDER BY p.post_id LIMIT ${POSTS}
     ), changing AS MATERIALIZED (
       SELECT coalesce(r.post_id, e.subject COLLATE "C") AS id
       FROM outbox e LEFT JOIN replies r ON r.reply_id = e.subject COLLATE "C"
       UNION SELECT w.community_slug FROM rank_walks w
     ), ranked AS (
       SELECT s.post_id, t.upvotes - t.downvotes AS score, coalesce(reply.created_at, s.created_at) AS active_at,
         floor(extract(epoch FROM s.created_at) / 3600)::integer AS created_hour, s.community_slug, s.author_id, s.post_type
       FROM slice s
       CROSS JOIN LATERAL (
         SELECT o.upvotes, o.downvotes FROM post_states o WHERE o.post_id = s.post_id AND NOT o.removed LIMIT 1) t
       LEFT JOIN LATERAL (
         SELECT r.created_at FROM replies r JOIN reply_states o ON o.reply_id = r.reply_id
         WHERE r.post_id = s.post_id AND NOT o.removed ORDER BY r.reply_number DESC LIMIT 1) reply ON true
       WHERE NOT s.hidden AND NOT EXISTS (SELECT FROM community_states c WHERE c.slug = s.community_slug AND c.removed)
     )
     SELECT array_agg(s.post_id ORDER BY s.post_id) FILTER (WHERE
         (k.score, k.active_at, k.created_hour, k.community_slug, k.author_id, k.post_type) IS DISTINCT FROM
         (t.score, t.active_at, t.created_hour, t.community_slug, t.author_id, t.post_type)
         AND NOT EXISTS (SELECT FROM changing c WHERE c.id IN (s.post_id, s.community_slug))
         AND NOT EXISTS (SELECT FROM rank_walks w WHERE w.community_slug = '' AND w.next_post_id < s.post_id)) AS ids,
       max(s.post_id) AS last
     FROM slice s
     LEFT JOIN ranked t ON t.post_id = s.post_id
     LEFT JOIN LATERAL (SELECT * FROM post_ranks o WHERE o.post_id = s.post_id LIMIT 1) k ON true
     HAVING count(*) > 0`,
  ),
};

/** Compares the ranks of posts with their states. While others write, `db` must be a REPEATABLE READ transaction. */
export async function verifyPostRanks(db: Db): Promise<string[]> {
  const problems: string[] = [];
  for await (const { ids } of slices<Slice>(db, RANKS)) {
    for (const id of ids ?? [])
      problems.push(`post ${id}: its rank in the orders of posts is not what its state makes`);
    if (problems.length >= MAX_PROBLEMS) break;
  }
  return problems.slice(0, MAX_PROBLEMS);
}
