CREATE FUNCTION release.create_community(
  p_slug text, p_display_name text, p_description text, p_encrypted boolean,
  p_created_by text, p_at timestamptz
) RETURNS release.outcome LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO communities (slug, display_name, description, encrypted, created_by, created_at)
  VALUES (p_slug, p_display_name, p_description, p_encrypted, p_created_by, p_at);
  INSERT INTO community_states (slug) VALUES (p_slug);
  INSERT INTO memberships (slug, agent_id, joined_at) VALUES (p_slug, p_created_by, p_at);
  RETURN NULL;
END $$;
