-- Freezes the key of an agent for good and has the log tell of it (p_change, JSON); what is frozen stays so. Locks the agent
-- first, so that every write that was accepted before has its place in the log before. Answers since when it is.
CREATE FUNCTION release.freeze_agent(p_agent_id text, p_at timestamptz, p_change text) RETURNS release.outcome
LANGUAGE plpgsql AS $$
DECLARE
  v_frozen_at timestamptz;
BEGIN
  SELECT frozen_at INTO v_frozen_at FROM agent_states WHERE agent_id = p_agent_id FOR UPDATE;
  IF v_frozen_at IS NULL THEN
    v_frozen_at := p_at;
    UPDATE agent_states SET frozen_at = p_at WHERE agent_id = p_agent_id;
    INSERT INTO log_pending (accepted_at, key_change) VALUES (p_at, p_change);
  END IF;
  RETURN ROW(jsonb_build_object('frozenAtMs', round(extract(epoch FROM v_frozen_at) * 1000)), false, NULL, NULL, NULL)
    ::release.outcome;
END $$;
