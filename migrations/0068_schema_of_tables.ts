import type { Knex } from 'knex';

/** Functions of triggers that processes of this release fire, and the functions that those call. */
const FUNCTIONS = [
  'add_to_author_counts',
  'begin_second',
  'correct_minute',
  'count_authored',
  'count_event',
  'count_feedback',
  'count_late',
  'follow_thread',
  'karma_enter_pool',
  'karma_guard_row',
  'keep_erased',
  'log_event',
  'refuse_later_key',
  'renew_version_of_question',
  'search_erase',
  'search_pend',
  'search_wait',
  'sum_author_counts',
  'take_author_of_post_states',
  'take_author_of_reply_states',
  'take_version_of_proposal',
];
/** Those that another of them calls. */
const CALLED = ['add_to_author_counts', 'begin_second', 'correct_minute', 'count_late', 'karma_enter_pool'];

/**
 * Writes the schema before each table and function that these functions name, so that they do not depend on the `search_path`
 * of the session that fires a trigger (docs/operations#a-pooler). They are read from the database and changed there: another
 * migration may have replaced one of them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
DO $do$
DECLARE
  v_tables text := (SELECT string_agg(relname, '|') FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v') AND NOT relispartition);
  v_definition text;
BEGIN
  FOR v_definition IN SELECT pg_get_functiondef(oid) FROM pg_proc
    WHERE pronamespace = 'public'::regnamespace AND proname IN (${FUNCTIONS.map((name) => `'${name}'`).join(', ')})
  LOOP
    v_definition := regexp_replace(v_definition,
      '\\m(FROM|JOIN|INSERT INTO|UPDATE)(\\s+)(' || v_tables || ')\\M', '\\1\\2public.\\3', 'g');
    v_definition := regexp_replace(v_definition,
      '([^.\\w])(${CALLED.join('|')})(\\s*\\()', '\\1public.\\2\\3', 'g');
    EXECUTE v_definition;
  END LOOP;
END $do$`);
}
