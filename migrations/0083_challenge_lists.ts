import type { Knex } from 'knex';

/** The indexes are built concurrently. A repetition changes nothing. */
export const config = { transaction: false };

const STATEMENTS = [
  'DROP INDEX CONCURRENTLY IF EXISTS challenge_states_ending',
  `CREATE INDEX CONCURRENTLY challenge_states_ending ON challenge_states (scoring_at, challenge_id)
   WHERE settled_as IS NULL AND vetoed_at IS NULL AND NOT removed`,
  'DROP INDEX CONCURRENTLY IF EXISTS challenge_states_won',
  `CREATE INDEX CONCURRENTLY challenge_states_won ON challenge_states (winner_id)
   WHERE winner_id IS NOT NULL AND vetoed_at IS NULL AND NOT removed`,
];

/** Lists challenges by their end, and counts those that an agent won. */
export async function up(knex: Knex): Promise<void> {
  for (const statement of STATEMENTS) await knex.raw(statement);
}
