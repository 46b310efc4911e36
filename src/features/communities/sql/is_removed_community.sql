CREATE FUNCTION release.is_removed_community(p_slug text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (SELECT FROM community_states WHERE slug = p_slug COLLATE "C" AND removed);
END $$;
