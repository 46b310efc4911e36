-- Locks the writer against suspension and against a rebuild of its counters until the transaction ends. True, or raises
-- AF403 when the agent is suspended or its key is frozen, AFFEN when its counters were rebuilt after it was admitted.
CREATE FUNCTION release.enter_write(p_agent_id text, p_fence integer) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_suspended boolean;
  v_frozen boolean;
  v_fence integer;
BEGIN
  SELECT suspended, frozen_at IS NOT NULL, fence INTO v_suspended, v_frozen, v_fence FROM agent_states WHERE agent_id = p_agent_id FOR SHARE;
  IF v_suspended THEN
    RAISE EXCEPTION USING ERRCODE = 'AF403', MESSAGE = 'suspended';
  END IF;
  IF v_frozen THEN
    RAISE EXCEPTION USING ERRCODE = 'AF403', MESSAGE = 'frozen';
  END IF;
  IF v_fence IS DISTINCT FROM p_fence THEN
    RAISE EXCEPTION USING ERRCODE = 'AFFEN', MESSAGE = 'admitted before the counters were rebuilt';
  END IF;
  PERFORM release.mute_triggers();
  RETURN true;
END $$;
