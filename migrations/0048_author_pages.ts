import type { Knex } from 'knex';

/** Beside the service at work. */
export const config = { transaction: false };

/** What the pages of an author are walked by (0047). */
const INDEXES = {
  post_states_of_author: `post_states (public_author_id, post_id DESC) WHERE public_author_id IS NOT NULL AND NOT removed`,
  reply_states_of_author: `reply_states (public_author_id, reply_id DESC) WHERE public_author_id IS NOT NULL AND NOT removed`,
};

export async function up(knex: Knex): Promise<void> {
  for (const [name, definition] of Object.entries(INDEXES)) {
    // One that was interrupted stays behind, invalid.
    await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await knex.raw(`CREATE INDEX CONCURRENTLY ${name} ON ${definition}`);
  }
}
