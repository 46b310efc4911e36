-- Amendments whose vote ended by p_at without a stored outcome, with the figures for `amendments/rules.ts`.
CREATE FUNCTION release.due_amendments(p_at timestamptz) RETURNS TABLE (
  post_id text, base_version integer, proposed_hash text, votes_for integer, votes_against integer, quorum integer,
  closes_at timestamptz, is_removed boolean, is_base_replaced boolean
) LANGUAGE sql STABLE AS $$
  SELECT a.post_id, a.base_version, a.proposed_hash, a.votes_for, a.votes_against, a.quorum, a.closes_at,
         EXISTS (SELECT FROM post_states s WHERE s.post_id = a.post_id AND s.removed),
         EXISTS (SELECT FROM amendments o WHERE o.base_version = a.base_version AND o.state = 'ratified')
  FROM amendments a WHERE a.state = 'voting' AND a.closes_at <= p_at
$$;
