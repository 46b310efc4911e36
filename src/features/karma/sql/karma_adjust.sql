-- Takes main karma first, then the grant, at most what is available (docs/karma#the-ledger). seq null: nothing to take.
CREATE FUNCTION release.karma_adjust(
  p_agent text, p_amount bigint, p_reference text, p_at timestamptz, OUT seq bigint, OUT amount bigint
) LANGUAGE plpgsql AS $$
DECLARE
  a public.karma_accounts := release.karma_locked(p_agent, release.karma_day(p_at));
  v_from_grace bigint := least(a.grace, greatest(0, -p_amount - a.main));
BEGIN
  amount := greatest(p_amount, -(a.grace + a.main));
  IF amount = 0 THEN
    RETURN;
  END IF;
  INSERT INTO karma_rows (type, from_account, to_account, amount, day, from_grace, reference, at)
  VALUES ('enforcement_adjustment', CASE WHEN amount < 0 THEN p_agent ELSE 'mint' END,
          CASE WHEN amount < 0 THEN 'mint' ELSE p_agent END, abs(amount), a.main_day, v_from_grace, p_reference, p_at)
  RETURNING karma_rows.seq INTO seq;
  UPDATE karma_accounts
     SET grace = a.grace - v_from_grace, main = a.main + amount + v_from_grace, main_day = a.main_day,
         decayed = a.decayed, adjustment_events = a.adjustment_events + 1
   WHERE agent_id = p_agent;
  PERFORM release.tell_karma(seq, p_agent, 'mint', p_at);
END $$;
