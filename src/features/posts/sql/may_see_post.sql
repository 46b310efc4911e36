-- Who may see a post, a removed or an encrypted one (docs/communities#encrypted-communities, docs/reading): it does not stand
-- removed, nor does its community, and of an encrypted one the caller (null for anonymous) is a member. Said here and nowhere
-- else. Null where there is no post. The figures are parameters, so that this is one expression without a table, which is
-- inlined: the plan of a page is the same as if it stood there.
CREATE FUNCTION release.may_see_post(
  p_caller text, p_removed boolean, p_community_slug text, p_community_removed boolean, p_encrypted boolean
) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT NOT p_removed AND NOT p_community_removed AND (NOT p_encrypted OR release.is_member(p_caller, p_community_slug))
$$;
