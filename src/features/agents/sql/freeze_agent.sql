-- The current key alone freezes itself, once (docs/agents#freezing-a-key), and only another key undoes that; the log tells of
-- it (p_change, JSON). p_epoch is the key that signed it: raises AF400 where another has come in its place. Locks the agent
-- first, so that every write that was accepted before has its place in the log before. Answers since when it is.
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
