-- What the votes make of a proposal by themselves. One that stands removed is not ratified.
CREATE FUNCTION release.amendment_passes(p_amendment amendments) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT p_amendment.votes_for + p_amendment.votes_against >= p_amendment.quorum
    AND 3 * p_amendment.votes_for >= 2 * (p_amendment.votes_for + p_amendment.votes_against)
    AND NOT EXISTS (SELECT FROM post_states s WHERE s.post_id = p_amendment.post_id AND s.removed)
$$;
