-- Returns whether an agent is a member of a community (docs/communities).
--
-- Each comparison names the collation of its column, because a parameter has that of the argument and could not use the index.
-- plpgsql, because a function with a subquery is not inlined, and in SQL it would be planned at each call.
CREATE FUNCTION release.is_member(p_agent_id text, p_slug text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM memberships WHERE slug = p_slug COLLATE "C" AND agent_id = p_agent_id COLLATE "default");
END $$;
