import type { Knex } from 'knex';

/** Beside the service at work. */
export const config = { transaction: false };

/** What the thread of the briefing is found by: hidden replies, however many there are, cost nobody a look. */
export async function up(knex: Knex): Promise<void> {
  // One that was interrupted stays behind, invalid.
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS reply_states_public');
  await knex.raw(`CREATE INDEX CONCURRENTLY reply_states_public ON reply_states (reply_id DESC)
    WHERE public_author_id IS NOT NULL AND NOT removed`);
}
