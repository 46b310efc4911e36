import type { Knex } from 'knex';

/**
 * What many segments of the index of search hold (`src/features/search/summarising.ts`), so that a search asks those alone in
 * which something may be found. Processes of the release before neither read nor write it: a segment that is in no summary is
 * asked, and one that is gone is asked by nobody, whatever a summary says of it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
-- Of segments of many blocks: one that is being made ('made') tells nothing yet.
CREATE TABLE search_summaries (
  summary integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  state text NOT NULL DEFAULT 'made' CHECK (state IN ('made', 'live')),
  segments integer[] NOT NULL,
  -- Of one that is being made: how many of its parts are there.
  parts_made integer NOT NULL DEFAULT 0
);

-- Which of the segments of a summary hold a gram: one bit each, the first the lowest.
CREATE TABLE search_summary_grams (
  summary integer NOT NULL,
  gram integer NOT NULL,
  segments bigint NOT NULL,
  PRIMARY KEY (summary, gram)
);
`);
}
