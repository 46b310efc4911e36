-- Hands a run to one worker for good: the outbox row is the token and goes with the claim. No row: claimed before.
CREATE FUNCTION release.claim_meter_run(p_outbox_id bigint, p_run_id text, p_claim text,
  p_lease_seconds double precision)
RETURNS TABLE (
  run_id text, agent_id text, day text, task text, model text, fixture_hash text, token_allowance integer,
  progress text,
  claim text
) LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM outbox WHERE outbox_id = p_outbox_id AND kind = 'meter.probe' AND subject = p_run_id;
  IF FOUND THEN
    RETURN QUERY UPDATE meter_runs r
    SET claim = p_claim, lease_until = clock_timestamp() + make_interval(secs => p_lease_seconds)
    WHERE r.run_id = p_run_id AND r.claim IS NULL
    RETURNING r.run_id, r.agent_id, r.day, r.task, r.model, r.fixture_hash, r.token_allowance, r.progress, r.claim;
  END IF;
END $$;
