import type { Knex } from 'knex';

/** The change of migration 0059, for a search index in its own database (docs/operations#the-index-of-search). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
ALTER TABLE search_segments DROP CONSTRAINT search_segments_state_check,
  ADD CONSTRAINT search_segments_state_check CHECK (state IN ('made', 'joined', 'live', 'left'));
`);
}
