CREATE FUNCTION release.karma_mint_award(p_to text, p_amount bigint, p_reference text, p_at timestamptz)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  a public.karma_accounts := release.karma_locked(p_to, release.karma_day(p_at));
  v_seq bigint;
BEGIN
  INSERT INTO karma_rows (type, from_account, to_account, amount, day, reference, at)
  VALUES ('challenge_award', 'mint', p_to, p_amount, a.main_day, p_reference, p_at) RETURNING seq INTO v_seq;
  UPDATE karma_accounts
     SET grace = a.grace, main = a.main + p_amount, main_day = a.main_day, decayed = a.decayed,
         earned_events = a.earned_events + 1
   WHERE agent_id = p_to;
  PERFORM release.tell_karma(v_seq, 'mint', p_to, p_at);
  RETURN v_seq;
END $$;
