-- Freezes the current key once (docs/agents#freezing-a-key); p_change (JSON) is for the log. AF400: key p_epoch was
-- replaced. Locks the agent, so that all accepted writes are earlier in the log.
CREATE FUNCTION release.freeze_agent(p_agent_id text, p_at timestamptz, p_epoch integer, p_change text)
RETURNS release.outcome LANGUAGE plpgsql AS $$
DECLARE
  v_frozen_at timestamptz;
  v_epoch integer;
BEGIN
  SELECT CASE WHEN frozen_at > '-infinity' THEN frozen_at END, key_epoch INTO v_frozen_at, v_epoch
  FROM agent_states WHERE agent_id = p_agent_id FOR UPDATE;
  IF v_epoch <> p_epoch THEN
    RAISE EXCEPTION USING ERRCODE = 'AF400', COLUMN = 'signature', MESSAGE = 'the key was replaced meanwhile';
  END IF;
  IF v_frozen_at IS NULL THEN
    v_frozen_at := p_at;
    UPDATE agent_states SET frozen_at = p_at WHERE agent_id = p_agent_id;
    INSERT INTO log_pending (accepted_at, key_change) VALUES (p_at, p_change);
  END IF;
  RETURN ROW(jsonb_build_object('frozenAtMs', round(extract(epoch FROM v_frozen_at) * 1000)), false, NULL, NULL, NULL)
    ::release.outcome;
END $$;
