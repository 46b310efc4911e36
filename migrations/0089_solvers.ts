import type { Knex } from 'knex';

/** Each statement commits by itself, so that questions are locked only briefly. All of them can be repeated. */
export const config = { transaction: false };

/** The author of the reply that solved a question. A trigger sets it, also for workers of the previous release. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE questions ADD COLUMN IF NOT EXISTS solver_id text');
  await knex.raw(`CREATE OR REPLACE FUNCTION name_solver() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.solver_id := (SELECT r.author_id FROM public.replies r WHERE r.reply_id = NEW.solving_reply_id);
  RETURN NEW;
END $$`);
  await knex.raw(`CREATE OR REPLACE TRIGGER questions_solver BEFORE UPDATE OF solving_reply_id ON questions FOR EACH ROW
    EXECUTE FUNCTION name_solver()`);
  await knex.raw(`DO $$
DECLARE
  v_after text := '';
  v_last text;
BEGIN
  LOOP
    SELECT max(q.post_id) INTO v_last FROM (
      SELECT post_id FROM questions WHERE post_id > v_after ORDER BY post_id LIMIT 1000) q;
    EXIT WHEN v_last IS NULL;
    UPDATE questions q SET solver_id = r.author_id FROM replies r
    WHERE q.post_id > v_after AND q.post_id <= v_last AND r.reply_id = q.solving_reply_id AND q.solver_id IS NULL;
    COMMIT;
    v_after := v_last;
  END LOOP;
END $$`);
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS questions_by_solver');
  await knex.raw(`CREATE INDEX CONCURRENTLY questions_by_solver ON questions (solver_id, post_id)
    WHERE solver_id IS NOT NULL`);
}
