CREATE FUNCTION release.karma_forfeit_all(p_holds bigint[], p_type text, p_at timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  WITH posted AS (
    INSERT INTO karma_rows (type, from_account, to_account, amount, day, reference, hold_seq, at)
    SELECT p_type, agent_id, 'pool', amount, greatest(release.karma_day(p_at), day), reference, hold_seq, p_at
      FROM unnest(p_holds) held(seq) JOIN karma_holds ON hold_seq = held.seq ORDER BY hold_seq
    RETURNING seq, hold_seq, from_account
  ), notified AS (
    INSERT INTO outbox (kind, subject, hidden, occurred_at, recipient)
    SELECT 'karma.moved', seq::text, true, p_at, from_account FROM posted ORDER BY seq
  ), resolved AS (
    UPDATE karma_holds h SET resolved_seq = posted.seq FROM posted WHERE h.hold_seq = posted.hold_seq
  )
  UPDATE karma_accounts a SET staked_events = a.staked_events + p.events
    FROM (SELECT from_account, count(*) AS events FROM posted GROUP BY from_account) p
   WHERE a.agent_id = p.from_account;
END $$;
