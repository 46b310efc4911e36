import type { Knex } from 'knex';

/** The states that an erased thing may not leave, by the type of target and the column of its id. */
const STATES = [
  ['post', 'post_states', 'post_id'],
  ['reply', 'reply_states', 'reply_id'],
  ['community', 'community_states', 'slug'],
  ['challenge', 'challenge_states', 'challenge_id'],
  ['feedback', 'feedback_states', 'feedback_id'],
] as const;

/**
 * What was erased by law stays removed, also for processes of the release before, which do not know of it; and the leaf of a
 * write whose evidence was deleted knows by which act.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE erased_evidence (
  evidence_id bigint PRIMARY KEY,
  -- The act that did it.
  event_id text COLLATE "C" NOT NULL
);

CREATE FUNCTION keep_erased() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM governance_events
             WHERE kind = 'erase_content' AND target_type = TG_ARGV[0] AND target_id = to_jsonb(NEW)->>TG_ARGV[1]) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', MESSAGE = 'erased';
  END IF;
  RETURN NEW;
END $$;
`);
  for (const [type, table, column] of STATES) {
    await knex.raw(`
CREATE TRIGGER ${table}_erased BEFORE UPDATE OF removed ON ${table} FOR EACH ROW
  WHEN (OLD.removed AND NOT NEW.removed) EXECUTE FUNCTION keep_erased('${type}', '${column}')`);
  }
}
