import type { Knex } from 'knex';

/**
 * Segments of many blocks are joined into larger ones (docs/reading#search, `src/features/search/merging.ts`), 'joined'
 * meanwhile: processes of the release before, which do not know how, leave one of that state alone, do not ask it, and take
 * what is erased out of it. An index in a database of its own: `search/0002_joined_segments.ts`.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
ALTER TABLE search_segments DROP CONSTRAINT search_segments_state_check,
  ADD CONSTRAINT search_segments_state_check CHECK (state IN ('made', 'joined', 'live', 'left'));
`);
}
