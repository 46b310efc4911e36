-- The write guard: suspended agents, frozen keys and replaced keys cannot write (docs/governance#what-the-acts-do,
-- docs/agents#freezing-a-key, docs/agents#changing-the-key). Locks the state of the agent until the transaction ends.
-- Raises AF401 if the current key is not p_later_key (null for the first) with the number p_key_epoch. Raises AF403 if
-- the agent is suspended or its key is frozen, and AFFEN if its counters were loaded again after the admission.
CREATE FUNCTION release.enter_write(p_agent_id text, p_fence integer, p_key_epoch integer, p_later_key text)
  RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  v_suspended boolean;
  v_frozen boolean;
  v_fence integer;
  v_key_epoch integer;
BEGIN
  SELECT release.is_suspended(suspended, suspended_until), frozen_at > '-infinity', fence, key_epoch
  INTO v_suspended, v_frozen, v_fence, v_key_epoch
  FROM agent_states WHERE agent_id = p_agent_id FOR SHARE;
  IF v_key_epoch IS DISTINCT FROM p_key_epoch THEN
    RAISE EXCEPTION USING ERRCODE = 'AF401', MESSAGE = 'signed with a key that was replaced';
  END IF;
  -- A server that took over without the last key change gives the next key the same number, so the key itself is
  -- compared.
  IF p_key_epoch > 0 THEN
    PERFORM FROM agent_keys k
    WHERE k.agent_id = p_agent_id AND k.key_epoch = p_key_epoch AND k.public_key = p_later_key;
    IF NOT FOUND THEN
      RAISE EXCEPTION USING ERRCODE = 'AF401', MESSAGE = 'signed with a key that is not the one of that number';
    END IF;
  END IF;
  IF v_suspended THEN
    RAISE EXCEPTION USING ERRCODE = 'AF403', MESSAGE = 'suspended';
  END IF;
  IF v_frozen THEN
    RAISE EXCEPTION USING ERRCODE = 'AF403', MESSAGE = 'frozen';
  END IF;
  IF v_fence IS DISTINCT FROM p_fence THEN
    RAISE EXCEPTION USING ERRCODE = 'AFFEN', MESSAGE = 'admitted before the counters were rebuilt';
  END IF;
  RETURN true;
END $$;
