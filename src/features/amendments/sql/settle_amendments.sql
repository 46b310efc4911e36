-- Stores the outcome of every amendment whose end has come, in the order of the ends, and answers how many that were.
CREATE FUNCTION release.settle_amendments(p_at timestamptz) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_due text[];
  v_post_id text;
  v_settled integer := 0;
BEGIN
  -- Locked first, all of them and in order, then looked at.
  SELECT array_agg(d.post_id) INTO v_due FROM (
    SELECT post_id FROM amendments WHERE state = 'voting' AND closes_at <= p_at ORDER BY closes_at, post_id FOR UPDATE
  ) d;
  FOREACH v_post_id IN ARRAY coalesce(v_due, '{}') LOOP
    WITH settled AS (
      UPDATE amendments a SET state = release.amendment_outcome(a), resolved_at = a.closes_at
      WHERE a.post_id = v_post_id AND a.state = 'voting' RETURNING a AS amendment
    )
    INSERT INTO governance_events (event_id, kind, target_type, target_id, hidden, reason, actor, created_at)
    SELECT (amendment).tally_event_id, 'amendment_' || (amendment).state, 'amendment', v_post_id, false,
           release.tally_reason(amendment), 'community', (amendment).closes_at
    FROM settled;
    INSERT INTO outbox (kind, subject, hidden, occurred_at) VALUES ('amendment.settled', v_post_id, false, p_at);
    v_settled := v_settled + 1;
  END LOOP;
  RETURN v_settled;
END $$;
