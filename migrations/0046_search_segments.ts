import type { Knex } from 'knex';

/**
 * Search by segments (docs/reading#search, `src/features/search`): for each run of posts, which of them hold which piece of
 * text. No text stands here, so what is found is looked at once more in the posts themselves. `search_pending` and
 * `search_posts` are what processes of the release before read and write; what they accept comes here by the trigger.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
-- Public posts that are in no segment yet.
CREATE TABLE search_waiting (post_id text COLLATE "C" PRIMARY KEY);

-- Posts in the order of their ids, by blocks of one length. A segment of one block is made of what waits; many of those are
-- made into one of many blocks ('made' meanwhile), and then are 'left' to be deleted. Only 'live' ones are asked.
CREATE TABLE search_segments (
  segment integer PRIMARY KEY,
  state text NOT NULL CHECK (state IN ('made', 'live', 'left')),
  oldest text COLLATE "C" NOT NULL,
  newest text COLLATE "C" NOT NULL,
  -- The segments of one block that it is made of; each by its oldest and its newest post.
  blocks integer[] NOT NULL,
  blocks_oldest text[] COLLATE "C" NOT NULL,
  blocks_newest text[] COLLATE "C" NOT NULL,
  -- Of one that is being made: how many of its parts are there.
  parts_made integer NOT NULL DEFAULT 0
);
CREATE SEQUENCE search_segments_seq AS integer OWNED BY search_segments.segment;

-- The posts of a block by their places in it.
CREATE TABLE search_block_posts (
  block integer NOT NULL,
  part integer NOT NULL,
  post_ids text[] COLLATE "C" NOT NULL,
  PRIMARY KEY (block, part)
);

-- The posts of a segment that hold a gram (\`src/features/search/postings.ts\`).
CREATE TABLE search_postings (
  segment integer NOT NULL,
  gram integer NOT NULL,
  posts bytea NOT NULL,
  PRIMARY KEY (segment, gram)
) WITH (autovacuum_vacuum_scale_factor = 0.02);
ALTER TABLE search_postings ALTER COLUMN posts SET STORAGE EXTERNAL;

-- Posts before this id are in no segment yet, but those that wait. They are put there from the newest on.
CREATE TABLE search_backfill (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  below text COLLATE "C" NOT NULL
);

-- Posts whose texts were erased, and how many parts of the index have been gone through for what they held.
CREATE TABLE search_erased (
  post_id text COLLATE "C" PRIMARY KEY,
  parts_done integer NOT NULL DEFAULT 0
);

CREATE FUNCTION search_erase() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO search_erased (post_id) VALUES (NEW.post_id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
-- Also of what processes of the release before erase.
CREATE TRIGGER posts_erased AFTER UPDATE OF title, body ON posts FOR EACH ROW
  WHEN (NEW.title = '' AND NOT NEW.hidden) EXECUTE FUNCTION search_erase();

CREATE FUNCTION search_wait() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO search_waiting (post_id) VALUES (NEW.post_id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
-- Waits for whoever is writing a post, and is there for who comes after: no post is missed between the two.
CREATE TRIGGER search_pending_waits AFTER INSERT ON search_pending FOR EACH ROW EXECUTE FUNCTION search_wait();
INSERT INTO search_backfill (below) SELECT coalesce(max(post_id) || '~', '') FROM posts;
`);
}
