-- Amendments whose end has come and whose outcome is not stored yet, as whoever reads at p_at sees them.
CREATE FUNCTION release.due_amendments(p_at timestamptz) RETURNS TABLE (amendment amendments, outcome text)
LANGUAGE sql STABLE AS $$
  SELECT a, release.amendment_outcome(a) FROM amendments a WHERE a.state = 'voting' AND a.closes_at <= p_at
$$;
