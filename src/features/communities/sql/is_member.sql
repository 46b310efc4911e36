-- Whether an agent is a member of a community (docs/communities).
--
-- A parameter takes the collation of what it was called with, and the whole function with it: called with a slug ("C"),
-- it compared agent ids in "C" too, where their index is of no use. So each comparison names the collation of its column.
-- And a function of one value that looks into tables is never inlined: in SQL it would be planned at each call.
CREATE FUNCTION release.is_member(p_agent_id text, p_slug text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM memberships WHERE slug = p_slug COLLATE "C" AND agent_id = p_agent_id COLLATE "default");
END $$;
