-- What becomes of a proposal at its end, in the order of the ends: of those on one version the first that passes is
-- ratified, and the later ones are superseded. The same before and after the earlier ones are stored.
CREATE FUNCTION release.amendment_outcome(p_amendment amendments) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN EXISTS (
      SELECT FROM amendments o
      WHERE o.base_version = p_amendment.base_version AND o.post_id <> p_amendment.post_id
        AND (o.state = 'ratified'
          OR o.state = 'voting' AND (o.closes_at, o.post_id) < (p_amendment.closes_at, p_amendment.post_id)
            AND release.amendment_passes(o))) THEN 'superseded'
    WHEN release.amendment_passes(p_amendment) THEN 'ratified'
    ELSE 'rejected'
  END
$$;
