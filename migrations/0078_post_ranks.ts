import type { Knex } from 'knex';

/** Each statement commits by itself, so that the outbox is locked only briefly. All of them can be repeated. */
export const config = { transaction: false };

/**
 * The orders `top` and `active` of the list of posts (docs/reading#orders). A trigger on the outbox updates them in the
 * transaction that delivers events, also if a worker of the previous release delivers. Removed and encrypted posts are
 * not in the table. `rank_walks` has the communities whose posts are compared again by a job, '' for all posts.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`CREATE TABLE IF NOT EXISTS post_ranks (
  post_id text COLLATE "C" PRIMARY KEY,
  score integer NOT NULL,
  active_at timestamptz NOT NULL,
  created_hour integer NOT NULL,
  community_slug text COLLATE "C",
  author_id text NOT NULL,
  post_type text NOT NULL
) WITH (fillfactor = 90)`);
  for (const [order, column] of [
    ['top', 'score'],
    ['active', 'active_at'],
  ]) {
    await knex.raw(`CREATE INDEX IF NOT EXISTS post_ranks_${order} ON post_ranks (${column}, post_id)`);
    for (const [filter, by] of [
      ['community', 'community_slug'],
      ['author', 'author_id'],
      ['type', 'post_type'],
    ]) {
      const where = by === 'community_slug' ? 'WHERE community_slug IS NOT NULL' : '';
      await knex.raw(
        `CREATE INDEX IF NOT EXISTS post_ranks_${order}_of_${filter} ON post_ranks (${by}, ${column}, post_id) ${where}`,
      );
    }
  }
  await knex.raw('CREATE INDEX IF NOT EXISTS post_ranks_of_hour ON post_ranks (created_hour, score, post_id)');
  await knex.raw('CREATE INDEX IF NOT EXISTS post_ranks_of_day ON post_ranks ((created_hour / 24), score, post_id)');
  await knex.raw(`CREATE TABLE IF NOT EXISTS rank_walks (
  community_slug text COLLATE "C" PRIMARY KEY,
  next_post_id text COLLATE "C" NOT NULL
)`);
  await knex.raw(`CREATE OR REPLACE FUNCTION rank_posts(p_post_ids text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH ranked AS MATERIALIZED (
    SELECT p.post_id, s.upvotes - s.downvotes AS score, coalesce(last.created_at, p.created_at) AS active_at,
      floor(extract(epoch FROM p.created_at) / 3600)::integer AS created_hour, p.community_slug, p.author_id, p.post_type
    FROM unnest(p_post_ids) AS given (post_id)
    CROSS JOIN LATERAL (
      SELECT * FROM public.posts p WHERE p.post_id = given.post_id COLLATE "C" AND NOT p.hidden LIMIT 1) p
    CROSS JOIN LATERAL (
      SELECT * FROM public.post_states s WHERE s.post_id = p.post_id AND NOT s.removed LIMIT 1) s
    LEFT JOIN LATERAL (
      SELECT r.created_at FROM public.replies r JOIN public.reply_states rs ON rs.reply_id = r.reply_id
      WHERE r.post_id = p.post_id AND NOT rs.removed ORDER BY r.reply_number DESC LIMIT 1) last ON true
    WHERE NOT EXISTS (SELECT FROM public.community_states c WHERE c.slug = p.community_slug AND c.removed)
  ), gone AS (
    DELETE FROM public.post_ranks k USING unnest(p_post_ids) AS given (post_id)
    WHERE k.post_id = given.post_id COLLATE "C" AND NOT EXISTS (SELECT FROM ranked r WHERE r.post_id = k.post_id)
  )
  INSERT INTO public.post_ranks AS k
    (post_id, score, active_at, created_hour, community_slug, author_id, post_type)
  SELECT r.post_id, r.score, r.active_at, r.created_hour, r.community_slug, r.author_id, r.post_type FROM ranked r
  ORDER BY r.post_id
  ON CONFLICT (post_id) DO UPDATE SET score = EXCLUDED.score, active_at = EXCLUDED.active_at
  WHERE (k.score, k.active_at) IS DISTINCT FROM (EXCLUDED.score, EXCLUDED.active_at);
END $$`);
  await knex.raw(`CREATE OR REPLACE FUNCTION rank_delivered() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_post_ids text[];
BEGIN
  SELECT array_agg(DISTINCT coalesce(r.post_id, d.subject)) INTO v_post_ids
  FROM delivered d LEFT JOIN public.replies r ON r.reply_id = d.subject COLLATE "C"
  WHERE NOT d.hidden AND d.kind IN (
    'post.created', 'post.removed', 'post.restored', 'reply.created', 'reply.removed', 'reply.restored', 'vote.cast',
    'vote.recanted') AND (starts_with(d.subject, 'p_') OR d.kind LIKE 'reply.%');
  IF v_post_ids IS NOT NULL THEN
    PERFORM public.rank_posts(v_post_ids);
  END IF;
  INSERT INTO public.rank_walks (community_slug, next_post_id)
  SELECT DISTINCT d.subject, '' FROM delivered d
  WHERE d.kind IN ('community.removed', 'community.restored') AND NOT d.hidden
  ON CONFLICT (community_slug) DO UPDATE SET next_post_id = '';
  RETURN NULL;
END $$`);
  await knex.raw(`CREATE OR REPLACE TRIGGER outbox_ranked AFTER DELETE ON outbox REFERENCING OLD TABLE AS delivered
    FOR EACH STATEMENT EXECUTE FUNCTION rank_delivered()`);
  // Events of posts that are written from here on reach the trigger. The walk adds all earlier ones.
  await knex.raw(`INSERT INTO rank_walks (community_slug, next_post_id) VALUES ('', '') ON CONFLICT DO NOTHING`);
}
