CREATE FUNCTION release.add_member(p_admission jsonb, p_facts text, p_slug text, p_agent_id text, p_at timestamptz)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM release.accept_write(p_admission, p_facts);
  INSERT INTO memberships (slug, agent_id, joined_at) VALUES (p_slug, p_agent_id, p_at);
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at)
  VALUES ('community.joined', p_agent_id, p_slug, true, p_at);
END $$;
