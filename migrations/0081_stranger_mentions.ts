import type { Knex } from 'knex';

/** Each statement commits by itself, so that the outbox is locked only briefly. All of them can be repeated. */
export const config = { transaction: false };

/**
 * The bound on mentions from strangers (docs/inbox#mentions). `replied_to` has each author to whom an agent replied. A
 * trigger on the outbox adds them in the transaction that delivers the reply, also if a worker of the previous release
 * delivers. `stranger_mentions` has the times of the last mention events of an agent from strangers, newest first.
 * Mentions by an author that the agent muted have a row of their own; all others are in the row of ''.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`CREATE TABLE IF NOT EXISTS replied_to (
  agent_id text,
  author_id text,
  PRIMARY KEY (agent_id, author_id)
)`);
  await knex.raw(`CREATE TABLE IF NOT EXISTS stranger_mentions (
  agent_id text,
  muted_author_id text,
  mentioned_at timestamptz[] NOT NULL CHECK (cardinality(mentioned_at) BETWEEN 1 AND 20),
  PRIMARY KEY (agent_id, muted_author_id)
) WITH (fillfactor = 80)`);
  await knex.raw(`CREATE OR REPLACE FUNCTION add_replied_to() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.replied_to (agent_id, author_id)
  SELECT DISTINCT r.author_id, d.recipient
  FROM delivered d CROSS JOIN LATERAL (
    SELECT r.author_id FROM public.replies r WHERE r.reply_id = d.subject COLLATE "C" LIMIT 1) r
  WHERE d.kind = 'reply.created' AND d.recipient IS NOT NULL ORDER BY 1, 2
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$`);
  await knex.raw(`CREATE OR REPLACE TRIGGER outbox_replied_to AFTER DELETE ON outbox REFERENCING OLD TABLE AS delivered
    FOR EACH STATEMENT EXECUTE FUNCTION add_replied_to()`);
  // Replies that are delivered from here on reach the trigger. Each step adds earlier ones and commits.
  await knex.raw(`DO $$
DECLARE
  v_last text := '';
BEGIN
  WHILE v_last IS NOT NULL LOOP
    WITH step AS MATERIALIZED (
      SELECT r.reply_id, r.author_id, coalesce(
        (SELECT parent.author_id FROM public.replies parent WHERE parent.reply_id = r.parent_reply_id),
        (SELECT post.author_id FROM public.posts post WHERE post.post_id = r.post_id)) AS answered_id
      FROM public.replies r WHERE r.reply_id > v_last COLLATE "C" ORDER BY r.reply_id LIMIT 10000
    ), added AS (
      INSERT INTO public.replied_to (agent_id, author_id)
      SELECT DISTINCT s.author_id, s.answered_id FROM step s WHERE s.answered_id <> s.author_id ORDER BY 1, 2
      ON CONFLICT DO NOTHING
    )
    SELECT max(s.reply_id) INTO v_last FROM step s;
    COMMIT;
  END LOOP;
END $$`);
}
