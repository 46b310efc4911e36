import type { Knex } from 'knex';

/** Beside the service at work: an index without locks, and rows in batches that nobody waits for. */
export const config = { transaction: false };

/** What an agent's own votes are listed by, and who replied to threads before anybody kept that (0033), newest first. */
export async function up(knex: Knex): Promise<void> {
  // One that was interrupted stays behind, invalid.
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS votes_by_agent');
  await knex.raw(
    'CREATE INDEX CONCURRENTLY votes_by_agent ON votes (agent_id, changed_at, target_id) WHERE value <> 0',
  );
  await knex.raw(`
DO $$
DECLARE
  v_before text := 's';
  v_oldest timestamptz;
BEGIN
  LOOP
    WITH slice AS MATERIALIZED (
      SELECT reply_id, post_id, author_id, reply_number, created_at FROM replies
      WHERE reply_id < v_before COLLATE "C" ORDER BY reply_id DESC LIMIT 5000
    ), filled AS (
      INSERT INTO thread_followers AS f (post_id, agent_id, first_number, replied_at)
      SELECT post_id, author_id, min(reply_number), max(created_at) FROM slice GROUP BY post_id, author_id
      ORDER BY post_id, author_id
      ON CONFLICT (post_id, agent_id) DO UPDATE SET first_number = least(f.first_number, EXCLUDED.first_number),
        replied_at = greatest(f.replied_at, EXCLUDED.replied_at)
    )
    SELECT min(reply_id), min(created_at) INTO v_before, v_oldest FROM slice;
    COMMIT;
    EXIT WHEN v_oldest IS NULL OR v_oldest < now() - interval '14 days';
  END LOOP;
END $$`);
}
