import type { Knex } from 'knex';

/**
 * Creates a search index in a database of its own (docs/operations#the-index-of-search): the tables that migrations
 * 0046, 0056 and 0058 created beside the posts. The queues of waiting and erased posts stay with the posts. The index
 * is empty until `npm run search:rebuild` fills it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE search_segments (
  segment integer PRIMARY KEY,
  state text NOT NULL CHECK (state IN ('made', 'live', 'left')),
  oldest text COLLATE "C" NOT NULL,
  newest text COLLATE "C" NOT NULL,
  blocks integer[] NOT NULL,
  blocks_oldest text[] COLLATE "C" NOT NULL,
  blocks_newest text[] COLLATE "C" NOT NULL,
  parts_made integer NOT NULL DEFAULT 0
);
CREATE SEQUENCE search_segments_seq AS integer OWNED BY search_segments.segment;

CREATE TABLE search_block_posts (
  block integer NOT NULL,
  part integer NOT NULL,
  post_ids text[] COLLATE "C" NOT NULL,
  PRIMARY KEY (block, part)
);

CREATE TABLE search_postings (
  segment integer NOT NULL,
  gram integer NOT NULL,
  posts bytea NOT NULL,
  PRIMARY KEY (segment, gram)
) WITH (autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE search_postings ALTER COLUMN posts SET STORAGE EXTERNAL;

CREATE TABLE search_summaries (
  summary integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  state text NOT NULL DEFAULT 'made' CHECK (state IN ('made', 'live')),
  segments integer[] NOT NULL,
  parts_made integer NOT NULL DEFAULT 0
);

CREATE TABLE search_summary_grams (
  summary integer NOT NULL,
  gram integer NOT NULL,
  segments bigint NOT NULL,
  PRIMARY KEY (summary, gram)
);

CREATE TABLE search_backfill (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  below text COLLATE "C" NOT NULL,
  index_id text NOT NULL DEFAULT gen_random_uuid()::text
);
-- Nothing is here: all that comes before this is in no segment.
INSERT INTO search_backfill (below) VALUES ('~');
`);
}
