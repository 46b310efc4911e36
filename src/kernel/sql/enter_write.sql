-- Locks the writer against suspension and against a rebuild of its counters until the transaction ends.
CREATE FUNCTION release.enter_write(p_admission jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  state agent_states%ROWTYPE;
BEGIN
  SELECT * INTO state FROM agent_states WHERE agent_id = p_admission->>'agentId' FOR SHARE;
  IF state.suspended THEN
    RAISE EXCEPTION USING ERRCODE = 'AF403', MESSAGE = 'suspended';
  END IF;
  IF state.fence <> (p_admission->>'fence')::integer THEN
    RAISE EXCEPTION USING ERRCODE = 'AFFEN', MESSAGE = 'admitted before the counters were rebuilt';
  END IF;
END $$;
