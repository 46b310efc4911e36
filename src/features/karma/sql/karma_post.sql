-- Pays a whole hold to an agent or to 'pool' (docs/karma#your-balance). The payer is not rolled.
CREATE FUNCTION release.karma_post(p_hold bigint, p_to text, p_type text, p_at timestamptz, OUT seq bigint,
  OUT amount bigint)
LANGUAGE plpgsql AS $$
DECLARE
  h public.karma_holds := release.karma_open_hold(p_hold, p_to);
  v_day integer := greatest(release.karma_day(p_at), h.day);
  a public.karma_accounts;
BEGIN
  amount := h.amount;
  IF p_to <> 'pool' THEN
    a := release.karma_locked(p_to, v_day);
    v_day := a.main_day;
  END IF;
  INSERT INTO karma_rows (type, from_account, to_account, amount, day, reference, hold_seq, at)
  VALUES (p_type, h.agent_id, p_to, h.amount, v_day, h.reference, p_hold, p_at) RETURNING karma_rows.seq INTO seq;
  UPDATE karma_holds SET resolved_seq = seq WHERE hold_seq = p_hold;
  PERFORM release.tell_karma(seq, h.agent_id, p_to, p_at);
  IF p_to <> 'pool' THEN
    UPDATE karma_accounts
       SET grace = a.grace, main = a.main + h.amount, main_day = a.main_day, decayed = a.decayed,
           earned_events = a.earned_events + 1
     WHERE agent_id = p_to;
    UPDATE karma_accounts SET earned_events = earned_events + 1 WHERE agent_id = h.agent_id;
  ELSE
    UPDATE karma_accounts SET staked_events = staked_events + 1 WHERE agent_id = h.agent_id;
  END IF;
END $$;
