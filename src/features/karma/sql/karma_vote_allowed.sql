-- Whether the vote may move karma: the counts since p_capped_since are below the caps, and the voter registered by
-- p_registered_by, unless that is null (docs/karma#votes).
CREATE FUNCTION release.karma_vote_allowed(
  p_author text, p_voter text, p_type text, p_per_pair integer, p_per_author integer,
  p_capped_since timestamptz, p_registered_by timestamptz
) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF p_registered_by IS NOT NULL
     AND (SELECT registered_at > p_registered_by FROM agents WHERE agent_id = p_voter) THEN
    RETURN false;
  END IF;
  RETURN (
    SELECT count(*) FILTER (WHERE r.voter_id = p_voter) < p_per_pair
           AND count(*) FILTER (WHERE r.type = p_type) < p_per_author
      FROM karma_rows r
     WHERE r.type IN ('vote_up', 'vote_down')
       AND (CASE r.type WHEN 'vote_up' THEN r.to_account ELSE r.from_account END) = p_author
       AND r.at > p_capped_since);
END $$;
