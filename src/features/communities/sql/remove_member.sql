-- Ends a membership (docs/communities#leaving). Everybody who writes for the members of an encrypted community waits. AF404: no
-- member of it.
CREATE FUNCTION release.remove_member(p_slug text, p_agent_id text) RETURNS release.outcome LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM community_states s
  WHERE s.slug = p_slug AND (SELECT c.encrypted FROM communities c WHERE c.slug = p_slug) FOR UPDATE;
  DELETE FROM memberships m WHERE m.slug = p_slug AND m.agent_id = p_agent_id;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such member';
  END IF;
  RETURN NULL;
END $$;
