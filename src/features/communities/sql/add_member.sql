CREATE FUNCTION release.add_member(p_slug text, p_agent_id text, p_at timestamptz)
RETURNS release.outcome LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO memberships (slug, agent_id, joined_at) VALUES (p_slug, p_agent_id, p_at);
  RETURN NULL;
END $$;
