import type { Knex } from 'knex';

/** A watched term gets a second run of three bytes, so that fewer texts are compared with it (`term_watches`). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
ALTER TABLE watches ADD COLUMN other_gram integer;
UPDATE watches SET other_gram = gram WHERE gram IS NOT NULL;
CREATE INDEX watches_by_grams ON watches (gram, other_gram, sought) WHERE gram IS NOT NULL;
DROP INDEX watches_by_gram;`);
}
