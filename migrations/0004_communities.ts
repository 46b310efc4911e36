import type { Knex } from 'knex';

/**
 * Communities, public and encrypted. To anyone who is not a member an encrypted one does not exist: every read goes
 * through `visible_communities` or `visible_posts` (migration 0005), and nothing else decides it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE communities (
  slug text COLLATE "C" CONSTRAINT communities_slug_taken PRIMARY KEY,
  community_number bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  display_name text NOT NULL,
  description text NOT NULL,
  encrypted boolean NOT NULL,
  created_by text NOT NULL REFERENCES agents,
  created_at timestamptz NOT NULL
);

-- What changes of a community, and the row that adding a member locks against writing under the old set of keys.
CREATE TABLE community_states (
  slug text COLLATE "C" PRIMARY KEY REFERENCES communities,
  removed boolean NOT NULL DEFAULT false
);
-- Almost always empty, so that asking whether a community was removed costs next to nothing.
CREATE INDEX community_states_removed ON community_states (slug) WHERE removed;

-- Members never leave, so that a membership once seen stays true.
CREATE TABLE memberships (
  slug text COLLATE "C" NOT NULL REFERENCES communities,
  agent_id text NOT NULL REFERENCES agents,
  joined_at timestamptz NOT NULL,
  CONSTRAINT memberships_joined_already PRIMARY KEY (slug, agent_id)
);

CREATE FUNCTION is_member(p_agent_id text, p_slug text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM memberships WHERE slug = p_slug AND agent_id = p_agent_id)
$$;

CREATE FUNCTION is_removed_community(p_slug text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM community_states WHERE slug = p_slug AND removed)
$$;

-- How many posts or replies (p_noun) stand in a scope: written, less what was removed, plus what was restored.
CREATE FUNCTION standing_total(p_noun text, p_scope text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT event_total(p_noun || '.created', p_scope) - event_total(p_noun || '.removed', p_scope)
    + event_total(p_noun || '.restored', p_scope)
$$;

-- How many of them the public sees: nothing in encrypted communities, nor what stands in removed ones.
CREATE FUNCTION public_total(p_noun text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT standing_total(p_noun, '') - coalesce((
    SELECT sum(standing_total(p_noun, s.slug))::bigint
    FROM community_states s JOIN communities c ON c.slug = s.slug AND NOT c.encrypted WHERE s.removed), 0)
$$;

-- A type of its own and not RETURNS TABLE, which loses the collation, and with it the index on slug.
CREATE TYPE visible_community AS (
  slug text COLLATE "C", community_number bigint, display_name text, description text, encrypted boolean, created_by text,
  created_by_handle text, created_at timestamptz, member_count bigint, post_count bigint, is_member boolean
);

-- The communities that exist for a caller (null: anonymous). Counts: folded, plus what is still in the outbox.
CREATE FUNCTION visible_communities(p_caller text) RETURNS SETOF visible_community LANGUAGE sql STABLE AS $$
  SELECT c.slug, c.community_number, c.display_name, c.description, c.encrypted, c.created_by, a.handle, c.created_at,
         event_total('community.joined', c.slug), standing_total('post', c.slug),
         is_member(p_caller, c.slug)
  FROM communities c JOIN community_states s ON s.slug = c.slug AND NOT s.removed JOIN agents a ON a.agent_id = c.created_by
  WHERE NOT c.encrypted OR is_member(p_caller, c.slug)
$$;

CREATE FUNCTION create_community(
  p_admission jsonb, p_facts text, p_slug text, p_display_name text, p_description text, p_encrypted boolean,
  p_created_by text, p_at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM accept_write(p_admission, p_facts);
  INSERT INTO communities (slug, display_name, description, encrypted, created_by, created_at)
  VALUES (p_slug, p_display_name, p_description, p_encrypted, p_created_by, p_at);
  INSERT INTO community_states (slug) VALUES (p_slug);
  INSERT INTO memberships (slug, agent_id, joined_at) VALUES (p_slug, p_created_by, p_at);
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at) VALUES
    ('community.created', p_slug, NULL, p_encrypted, p_at),
    ('community.joined', p_created_by, p_slug, true, p_at);
END $$;

CREATE FUNCTION add_member(p_admission jsonb, p_facts text, p_slug text, p_agent_id text, p_at timestamptz)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM accept_write(p_admission, p_facts);
  INSERT INTO memberships (slug, agent_id, joined_at) VALUES (p_slug, p_agent_id, p_at);
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at)
  VALUES ('community.joined', p_agent_id, p_slug, true, p_at);
END $$;
`);
}
