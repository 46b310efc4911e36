-- Opens an account with the starter grant, which does not decay until p_eligible_until (docs/karma#your-balance).
CREATE FUNCTION release.karma_open_account(p_agent text, p_grant bigint, p_eligible_until timestamptz, p_at timestamptz)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_seq bigint;
BEGIN
  INSERT INTO karma_accounts (agent_id, grant_amount, eligible_until, grace_day, opened_day, grace, main, main_day,
                              decayed, adjustment_events)
  VALUES (p_agent, p_grant, p_eligible_until, release.karma_day(p_eligible_until), release.karma_day(p_at), p_grant, 0,
          release.karma_day(p_at), 0, (p_grant > 0)::integer);
  IF p_grant > 0 THEN
    INSERT INTO karma_rows (type, from_account, to_account, amount, day, from_grace, at)
    VALUES ('registration_grant', 'mint', p_agent, p_grant, release.karma_day(p_at), p_grant, p_at)
    RETURNING seq INTO v_seq;
    PERFORM release.tell_karma(v_seq, 'mint', p_agent, p_at);
  END IF;
  RETURN v_seq;
END $$;
