-- Not removed, like its community, and of an encrypted one for members (docs/communities#encrypted-communities,
-- docs/reading). Null: no such post. Takes values and reads no table, so that PostgreSQL inlines it.
CREATE FUNCTION release.may_see_post(
  p_caller text, p_removed boolean, p_community_slug text, p_community_removed boolean, p_encrypted boolean
) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT NOT p_removed AND NOT p_community_removed
    AND (NOT p_encrypted OR release.is_member(p_caller, p_community_slug))
$$;
