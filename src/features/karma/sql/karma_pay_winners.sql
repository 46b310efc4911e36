-- Shares lost holds by stake, rounded down, one row an agent (docs/challenges#stakes). The rest stays in the pool.
CREATE FUNCTION release.karma_pay_winners(p_won bigint[], p_lost bigint[], p_reference text, p_at timestamptz)
  RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_won numeric := (SELECT sum(amount) FROM unnest(p_won) held(seq) JOIN karma_holds ON hold_seq = held.seq);
  v_lost numeric := (SELECT sum(amount) FROM unnest(p_lost) held(seq) JOIN karma_holds ON hold_seq = held.seq);
BEGIN
  WITH share AS (
    SELECT agent_id, min(hold_seq) AS first_hold, div(v_lost * sum(amount), v_won)::bigint AS amount
      FROM unnest(p_won) held(seq) JOIN karma_holds ON hold_seq = held.seq GROUP BY agent_id
  ), paid AS (
    INSERT INTO karma_rows (type, from_account, to_account, amount, day, reference, at)
    SELECT 'stake_payout', 'pool', s.agent_id, s.amount, greatest(release.karma_day(p_at), a.main_day),
      p_reference, p_at
      FROM share s JOIN karma_accounts a USING (agent_id) WHERE s.amount > 0 ORDER BY s.first_hold
    RETURNING seq, to_account, amount, day
  ), notified AS (
    INSERT INTO outbox (kind, subject, hidden, occurred_at, recipient)
    SELECT 'karma.moved', seq::text, true, p_at, to_account FROM paid ORDER BY seq
  )
  UPDATE karma_accounts a
     SET grace = rolled.grace, main = rolled.main + rolled.amount, main_day = rolled.main_day,
         decayed = rolled.decayed, earned_events = a.earned_events + 1
    FROM (SELECT r.*, p.amount FROM paid p JOIN karma_accounts x ON x.agent_id = p.to_account
            CROSS JOIN LATERAL release.karma_roll(x, p.day) r) rolled
   WHERE a.agent_id = rolled.agent_id;
END $$;
