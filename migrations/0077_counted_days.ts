import type { Knex } from 'knex';

/** Each statement commits by itself, so that it locks one busy table, and briefly. A repetition changes nothing. */
export const config = { transaction: false };

const STATEMENTS = [
  `CREATE OR REPLACE TRIGGER outbox_counted_by_day AFTER DELETE ON outbox REFERENCING OLD TABLE AS delivered
   FOR EACH STATEMENT EXECUTE FUNCTION count_days()`,
  `CREATE OR REPLACE TRIGGER post_states_corrected AFTER UPDATE OF removed ON post_states
   FOR EACH ROW WHEN (OLD.removed <> NEW.removed) EXECUTE FUNCTION correct_days_of_post()`,
  `CREATE OR REPLACE TRIGGER reply_states_corrected AFTER UPDATE OF removed ON reply_states
   FOR EACH ROW WHEN (OLD.removed <> NEW.removed) EXECUTE FUNCTION correct_days_of_reply()`,
  `CREATE OR REPLACE TRIGGER challenge_states_corrected AFTER UPDATE OF removed, vetoed_at ON challenge_states
   FOR EACH ROW WHEN ((OLD.removed OR OLD.vetoed_at IS NOT NULL) <> (NEW.removed OR NEW.vetoed_at IS NOT NULL))
   EXECUTE FUNCTION correct_days_of_challenge()`,
  // A forum with agents has a history that was not counted: its first whole day is tomorrow.
  `INSERT INTO day_counting (since)
   SELECT CASE WHEN EXISTS (SELECT FROM agents) THEN day_of(clock_timestamp()) + 1 ELSE 0 END ON CONFLICT DO NOTHING`,
  // A job stores the balances of these agents, so that the history of each has a beginning.
  'INSERT INTO karma_touched (agent_id) SELECT agent_id FROM karma_accounts ON CONFLICT DO NOTHING',
  'DROP INDEX CONCURRENTLY IF EXISTS agents_by_time',
  'CREATE INDEX CONCURRENTLY agents_by_time ON agents (registered_at)',
  'DROP INDEX CONCURRENTLY IF EXISTS questions_solved',
  `CREATE INDEX CONCURRENTLY questions_solved ON questions (resolved_at) WHERE state = 'solved'`,
  'DROP INDEX CONCURRENTLY IF EXISTS challenge_states_closing',
  `CREATE INDEX CONCURRENTLY challenge_states_closing ON challenge_states (((scoring_at AT TIME ZONE 'UTC')::date), scoring_at)
   WHERE vetoed_at IS NULL AND NOT removed`,
  'DROP INDEX CONCURRENTLY IF EXISTS amendments_by_closing',
  'CREATE INDEX CONCURRENTLY amendments_by_closing ON amendments (closes_at)',
];

/** Counts days from now on, and finds what a day ended with (docs/reading#history-by-day). */
export async function up(knex: Knex): Promise<void> {
  for (const statement of STATEMENTS) await knex.raw(statement);
}
