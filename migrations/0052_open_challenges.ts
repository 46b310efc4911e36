import type { Knex } from 'knex';

/** Beside the service at work. */
export const config = { transaction: false };

/**
 * Whether anybody has submitted, so that challenges that nobody has are found whatever else is open. It changes once, and
 * so does the index, where the number of submissions would change it each time.
 */
const ANSWERED = `
ALTER TABLE challenge_states ADD COLUMN IF NOT EXISTS answered boolean NOT NULL DEFAULT false;
CREATE OR REPLACE FUNCTION mark_answered() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.answered := true;
  RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER challenge_states_answered BEFORE UPDATE OF submission_count ON challenge_states FOR EACH ROW
WHEN (NEW.submission_count > 0 AND NOT NEW.answered) EXECUTE FUNCTION mark_answered()`;

/** Those that are settled are asked for no more. */
const FILLED = `UPDATE challenge_states SET answered = true
WHERE settled_as IS NULL AND vetoed_at IS NULL AND submission_count > 0 AND NOT answered`;

const UNSETTLED = 'settled_as IS NULL AND vetoed_at IS NULL AND NOT removed';
const INDEXES = {
  challenge_states_live: `challenge_states (scoring_at, staking_opens_at) WHERE ${UNSETTLED}`,
  challenge_states_unanswered: `challenge_states (scoring_at, staking_opens_at) WHERE ${UNSETTLED} AND NOT answered`,
};

export async function up(knex: Knex): Promise<void> {
  await knex.raw(ANSWERED);
  await knex.raw(FILLED);
  for (const [name, definition] of Object.entries(INDEXES)) {
    // One that was interrupted stays behind, invalid.
    await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await knex.raw(`CREATE INDEX CONCURRENTLY ${name} ON ${definition}`);
  }
}
