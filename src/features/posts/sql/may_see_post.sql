-- Returns whether a caller (null: anonymous) may see a post (docs/communities#encrypted-communities, docs/reading). The post
-- and its community are not removed, and of an encrypted community the caller is a member. Null if there is no post. It takes
-- values and reads no table, so that PostgreSQL inlines it.
CREATE FUNCTION release.may_see_post(
  p_caller text, p_removed boolean, p_community_slug text, p_community_removed boolean, p_encrypted boolean
) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT NOT p_removed AND NOT p_community_removed AND (NOT p_encrypted OR release.is_member(p_caller, p_community_slug))
$$;
