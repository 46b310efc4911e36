import type { Knex } from 'knex';

/** What 0059 changes beside the posts, in a database of its own (docs/operations#the-index-of-search). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
ALTER TABLE search_segments DROP CONSTRAINT search_segments_state_check,
  ADD CONSTRAINT search_segments_state_check CHECK (state IN ('made', 'joined', 'live', 'left'));
`);
}
