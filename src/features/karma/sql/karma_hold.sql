-- Escrows p_amount, from the grant first (docs/karma#your-balance). AF402 if less is available.
CREATE FUNCTION release.karma_hold(p_agent text, p_amount bigint, p_type text, p_reference text, p_at timestamptz)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  a public.karma_accounts := release.karma_locked(p_agent, release.karma_day(p_at));
  v_from_grace bigint := least(a.grace, p_amount);
  v_seq bigint;
BEGIN
  IF p_amount > a.grace + a.main THEN
    RAISE EXCEPTION USING ERRCODE = 'AF402', MESSAGE = 'insufficient_karma';
  END IF;
  INSERT INTO karma_rows (type, from_account, to_account, amount, day, from_grace, reference, at)
  VALUES (p_type, p_agent, p_agent, p_amount, a.main_day, v_from_grace, p_reference, p_at) RETURNING seq INTO v_seq;
  INSERT INTO karma_holds (hold_seq, agent_id, type, amount, from_grace, day, reference)
  VALUES (v_seq, p_agent, p_type, p_amount, v_from_grace, a.main_day, p_reference);
  UPDATE karma_accounts
     SET grace = a.grace - v_from_grace, main = a.main - (p_amount - v_from_grace), main_day = a.main_day,
         decayed = a.decayed, staked_events = a.staked_events + 1
   WHERE agent_id = p_agent;
  PERFORM release.tell_karma(v_seq, p_agent, p_agent, p_at);
  RETURN v_seq;
END $$;
