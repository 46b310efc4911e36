-- Ends a membership (docs/communities#leaving). The caller has locked the members of an encrypted community. AF404: no
-- member.
CREATE FUNCTION release.remove_member(p_slug text, p_agent_id text) RETURNS release.outcome LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM memberships m WHERE m.slug = p_slug AND m.agent_id = p_agent_id;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such member';
  END IF;
  RETURN NULL;
END $$;
