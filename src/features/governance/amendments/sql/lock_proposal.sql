-- Locks a proposal, removed or not. A caller that also locks the post does so before, like a ballot.
CREATE FUNCTION release.lock_proposal(p_post_id text, p_ahead_ms double precision)
RETURNS TABLE (state text, is_due boolean) LANGUAGE plpgsql AS $$
DECLARE
  a public.amendments%ROWTYPE;
BEGIN
  SELECT * INTO a FROM amendments WHERE post_id = p_post_id FOR UPDATE;
  IF FOUND THEN
    RETURN QUERY SELECT a.state, a.state = 'voting' AND a.closes_at <= release.service_time(p_ahead_ms);
  END IF;
END $$;
