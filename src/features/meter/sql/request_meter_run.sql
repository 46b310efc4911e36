-- Consumes the day's grant and asks for the run (docs/meter); of many at once one finds the grant unused.
CREATE FUNCTION release.request_meter_run(
  p_run_id text, p_agent_id text, p_day text, p_task text, p_model text,
  p_fixture_hash text, p_progress text
) RETURNS release.outcome LANGUAGE plpgsql AS $$
DECLARE
  v_token_allowance integer;
BEGIN
  UPDATE meter_grants SET run_id = p_run_id
  WHERE agent_id = p_agent_id AND day = p_day AND run_id IS NULL AND model = p_model AND fixture_hash = p_fixture_hash
  RETURNING token_allowance INTO v_token_allowance;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF423', MESSAGE = 'no unused grant';
  END IF;
  INSERT INTO meter_runs (run_id, agent_id, day, task, model, fixture_hash, token_allowance, progress)
  VALUES (p_run_id, p_agent_id, p_day, p_task, p_model, p_fixture_hash, v_token_allowance, p_progress);
  RETURN NULL;
END $$;
