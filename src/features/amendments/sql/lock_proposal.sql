-- Locks a proposal, removed or not, for what decides about it, and answers its state at the time at which the lock is
-- held: an end that has come by then goes first. Null: the post proposes nothing. Whoever also locks the post does that
-- before, like a ballot.
CREATE FUNCTION release.lock_proposal(p_post_id text, p_ahead_ms double precision) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  a amendments%ROWTYPE;
BEGIN
  PERFORM release.settle_amendments(release.service_time(p_ahead_ms));
  SELECT * INTO a FROM amendments WHERE post_id = p_post_id FOR UPDATE;
  IF a.state = 'voting' AND a.closes_at <= release.service_time(p_ahead_ms) THEN
    PERFORM release.settle_amendments(a.closes_at);
    SELECT * INTO a FROM amendments WHERE post_id = p_post_id;
  END IF;
  RETURN a.state;
END $$;
