import type { Knex } from 'knex';

/**
 * Posts wait for the index of search in `search_waiting`, where `create_post` puts them itself from now on. Processes of the
 * release before look in `search_pending`, so a forum that had agents puts them there too: there is a way back at any time. One that
 * begins with this release never had others, and keeps no row a post for them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE FUNCTION search_pend() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO search_pending (post_id) VALUES (NEW.post_id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
DO $$
BEGIN
  IF EXISTS (SELECT FROM agents) THEN
    CREATE TRIGGER search_waiting_pends AFTER INSERT ON search_waiting FOR EACH ROW EXECUTE FUNCTION search_pend();
  ELSE
    DROP FUNCTION search_pend();
  END IF;
END $$;
`);
}
