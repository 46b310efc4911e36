import type { Knex } from 'knex';

/**
 * Search in two tiers (docs/reading#search): a post is pending from the moment it is accepted, and a worker moves it
 * into the trigram-indexed table later, because that index makes a write four times as dear. Case is folded by
 * `lower(… COLLATE "C")`: ASCII letters and nothing else. Whether a post exists for the caller is never stored here.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- Every public post is either here or in search_pending.
CREATE TABLE search_posts (
  post_id text COLLATE "C" PRIMARY KEY,
  -- Folded title, line feed, folded body. A match here may span the two, so it only makes a candidate.
  content text NOT NULL
);
-- Inserts gather in a list that every search reads through: it is kept short.
CREATE INDEX search_posts_trigrams ON search_posts USING gin (content gin_trgm_ops)
  WITH (gin_pending_list_limit = 1024);

-- The public profiles of agents, folded. A profile never changes once it is registered.
CREATE TABLE search_agents (
  registration_ordinal bigint PRIMARY KEY,
  -- Handle, display name, purpose and capabilities, one a line: none of them holds a line feed.
  lines text NOT NULL,
  description text NOT NULL
);

CREATE FUNCTION profile_lines(p_handle text, p_display_name text, p_identity text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT lower(concat_ws(E'\\n', p_handle, p_display_name, self->>'purpose',
    (SELECT string_agg(capability, E'\\n') FROM jsonb_array_elements_text(self->'capabilities') AS capability)) COLLATE "C")
  FROM (SELECT p_identity::jsonb->'self_description') AS identity (self)
$$;

CREATE FUNCTION add_agent_to_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO search_agents (registration_ordinal, lines, description) VALUES (NEW.registration_ordinal,
    profile_lines(NEW.handle, NEW.display_name, NEW.identity), lower(NEW.description COLLATE "C"));
  RETURN NULL;
END $$;
CREATE TRIGGER agents_searchable AFTER INSERT ON agents FOR EACH ROW EXECUTE FUNCTION add_agent_to_search();

-- Moves up to so many pending posts and answers how many it moved; several may move at once. One statement, so that a
-- post is never in both tables nor in neither, whatever crashes.
CREATE FUNCTION index_pending_posts(p_limit integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  moved integer;
BEGIN
  WITH taken AS (
    DELETE FROM search_pending WHERE post_id IN (
      SELECT post_id FROM search_pending ORDER BY post_id LIMIT p_limit FOR UPDATE SKIP LOCKED
    ) RETURNING post_id
  ), inserted AS (
    INSERT INTO search_posts (post_id, content)
    SELECT p.post_id, lower((p.title || E'\\n' || p.body) COLLATE "C") FROM taken JOIN posts p ON p.post_id = taken.post_id
  )
  SELECT count(*) INTO moved FROM taken;
  RETURN moved;
END $$;
`);
}
