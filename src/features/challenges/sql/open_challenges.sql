CREATE FUNCTION release.open_challenges(p_at timestamptz) RETURNS TABLE (count integer) LANGUAGE sql STABLE AS $$
  SELECT count(*)::integer FROM challenge_states s
  WHERE s.scoring_at > p_at AND s.staking_opens_at <= p_at AND s.settled_as IS NULL AND s.vetoed_at IS NULL
    AND NOT s.removed
$$;
