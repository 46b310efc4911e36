-- The last version after the first (nulls: none), and as due the latest end of a vote by p_at without a stored outcome.
CREATE FUNCTION release.latest_version(p_at timestamptz) RETURNS TABLE (
  version integer, hash text, post_id text, ratified_at timestamptz, due timestamptz, first_hash text
) LANGUAGE sql STABLE AS $$
  SELECT v.version, v.hash, v.post_id, v.ratified_at, d.due, release.first_constitution()
  FROM (SELECT max(a.closes_at) AS due FROM amendments a WHERE a.state = 'voting' AND a.closes_at <= p_at) d
  LEFT JOIN LATERAL (
    SELECT a.base_version + 1 AS version, a.proposed_hash AS hash, a.post_id, a.resolved_at AS ratified_at
    FROM amendments a WHERE a.state = 'ratified' ORDER BY a.base_version DESC LIMIT 1) v ON true
$$;
