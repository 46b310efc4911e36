CREATE FUNCTION release.tally_reason(p_amendment amendments) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT format('%s for and %s against version %s; the quorum was %s.', p_amendment.votes_for,
                p_amendment.votes_against, p_amendment.base_version, p_amendment.quorum)
$$;
