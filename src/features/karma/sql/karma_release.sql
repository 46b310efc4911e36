CREATE FUNCTION release.karma_release(p_hold bigint, p_type text, p_at timestamptz, OUT seq bigint, OUT amount bigint)
LANGUAGE plpgsql AS $$
DECLARE
  h public.karma_holds := release.karma_open_hold(p_hold, NULL);
  a public.karma_accounts := release.karma_locked(h.agent_id, greatest(release.karma_day(p_at), h.day));
  v_back record;
BEGIN
  SELECT * INTO v_back FROM release.karma_release_parts(h, a.grace_day, a.main_day);
  amount := v_back.to_grace + v_back.to_main;
  INSERT INTO karma_rows (type, from_account, to_account, amount, day, from_grace, reference, hold_seq, at)
  VALUES (p_type, h.agent_id, h.agent_id, amount, a.main_day, v_back.to_grace, h.reference, p_hold, p_at)
  RETURNING karma_rows.seq INTO seq;
  UPDATE karma_holds SET resolved_seq = seq WHERE hold_seq = p_hold;
  PERFORM release.tell_karma(seq, h.agent_id, h.agent_id, p_at);
  UPDATE karma_accounts
     SET grace = a.grace + v_back.to_grace, main = a.main + v_back.to_main, main_day = a.main_day,
         decayed = a.decayed + h.amount - amount, staked_events = a.staked_events + 1
   WHERE agent_id = h.agent_id;
END $$;
