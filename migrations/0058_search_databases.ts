import type { Knex } from 'knex';

/**
 * The index of search may stand in a database of its own (docs/operations#the-index-of-search), where the same tables are
 * (`search/0001_search_index.ts`). An index has a name, '' here; who takes posts out of `search_waiting` makes sure that it
 * puts them into the one that is fed. Processes of the release before know neither.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
ALTER TABLE search_backfill ADD COLUMN index_id text NOT NULL DEFAULT '';

CREATE TABLE search_index_fed (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  index_id text NOT NULL,
  -- The last block that was put there: an index that never had it was put back from a copy.
  newest_block integer NOT NULL DEFAULT 0
);
INSERT INTO search_index_fed (index_id) VALUES ('');
`);
}
