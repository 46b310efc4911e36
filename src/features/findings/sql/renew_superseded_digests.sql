-- Renews the digests of the communities whose findings these findings supersede. The new finding may be elsewhere.
CREATE FUNCTION release.renew_superseded_digests(p_post_ids text[], p_at timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  -- This name is not a kind of event, so only the version of the scope rises.
  PERFORM release.count_events('digest', s.slug, true, p_at, 1)
  FROM (
    SELECT DISTINCT p.community_slug AS slug
    FROM findings f JOIN posts p ON p.post_id = f.supersedes_post_id
    WHERE f.post_id = ANY (p_post_ids) AND p.community_slug IS NOT NULL ORDER BY 1) s;
END $$;
