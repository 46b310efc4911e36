-- Releases open holds of locked accounts. Each account is rolled once.
CREATE FUNCTION release.karma_release_all(p_holds bigint[], p_type text, p_at timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  WITH back AS (
    SELECT h.*, p.to_grace, p.to_main, greatest(release.karma_day(p_at), a.main_day, h.day) AS release_day
      FROM unnest(p_holds) held(seq)
      JOIN karma_holds h ON h.hold_seq = held.seq
      JOIN karma_accounts a USING (agent_id)
      CROSS JOIN LATERAL release.karma_release_parts(
        h, a.grace_day, greatest(release.karma_day(p_at), a.main_day, h.day)) p
  ), released AS (
    INSERT INTO karma_rows (type, from_account, to_account, amount, day, from_grace, reference, hold_seq, at)
    SELECT p_type, agent_id, agent_id, to_grace + to_main, release_day, to_grace, reference, hold_seq, p_at
      FROM back ORDER BY hold_seq
    RETURNING seq, hold_seq, from_account
  ), resolved AS (
    UPDATE karma_holds h SET resolved_seq = released.seq FROM released WHERE h.hold_seq = released.hold_seq
  ), notified AS (
    INSERT INTO outbox (kind, subject, hidden, occurred_at, recipient)
    SELECT 'karma.moved', seq::text, true, p_at, from_account FROM released ORDER BY seq
  ), gain AS (
    SELECT agent_id, max(release_day) AS release_day, sum(to_grace) AS to_grace, sum(to_main) AS to_main,
           sum(amount - to_grace - to_main) AS lost, count(*) AS events
      FROM back GROUP BY agent_id
  )
  UPDATE karma_accounts a
     SET grace = rolled.grace + rolled.to_grace, main = rolled.main + rolled.to_main, main_day = rolled.main_day,
         decayed = rolled.decayed + rolled.lost, staked_events = a.staked_events + rolled.events
    FROM (SELECT r.*, g.to_grace, g.to_main, g.lost, g.events
            FROM gain g JOIN karma_accounts x USING (agent_id)
            CROSS JOIN LATERAL release.karma_roll(x, g.release_day) r) rolled
   WHERE a.agent_id = rolled.agent_id;
END $$;
