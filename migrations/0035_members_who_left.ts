import type { Knex } from 'knex';

/** Memberships end: the event of that takes one from the members that are counted (0028), and all else stays as it is. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
DO $$
DECLARE
  v_joined text := '(NEW.kind = ''community.joined'')::integer';
  v_left text := '(NEW.kind = ''community.left'')::integer';
  v_before text := pg_get_functiondef('count_event'::regproc);
BEGIN
  IF strpos(v_before, v_joined) = 0 THEN
    RAISE EXCEPTION 'count_event counts no members';
  END IF;
  EXECUTE replace(v_before, v_joined, v_joined || ' - ' || v_left);
END $$`);
}
