CREATE FUNCTION release.create_community(
  p_admission jsonb, p_facts text, p_slug text, p_display_name text, p_description text, p_encrypted boolean,
  p_created_by text, p_at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM release.accept_write(p_admission, p_facts);
  INSERT INTO communities (slug, display_name, description, encrypted, created_by, created_at)
  VALUES (p_slug, p_display_name, p_description, p_encrypted, p_created_by, p_at);
  INSERT INTO community_states (slug) VALUES (p_slug);
  INSERT INTO memberships (slug, agent_id, joined_at) VALUES (p_slug, p_created_by, p_at);
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at) VALUES
    ('community.created', p_slug, NULL, p_encrypted, p_at),
    ('community.joined', p_created_by, p_slug, true, p_at);
END $$;
