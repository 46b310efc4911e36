-- Names the collation of each column: a parameter has that of the argument and could not use the index. plpgsql,
-- because a function with a subquery is not inlined, and SQL would be planned at each call.
CREATE FUNCTION release.is_member(p_agent_id text, p_slug text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM memberships WHERE slug = p_slug COLLATE "C" AND agent_id = p_agent_id COLLATE "default");
END $$;
