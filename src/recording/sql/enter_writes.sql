-- Parses a batch of writes and lets each pass the write guard (`enter_write`). Raises when the guard refuses one of
-- them; the caller then sends each write by itself. p_fail_fast limits every wait for a lock to 50 ms: locks are held
-- for a millisecond, or by a stuck transaction (docs/operations#time-limits).
CREATE FUNCTION release.enter_writes(p_writes jsonb, p_fail_fast boolean) RETURNS release.write[] LANGUAGE plpgsql AS $$
DECLARE
  v_writes release.write[] := ARRAY(SELECT w FROM jsonb_populate_recordset(NULL::release.write, p_writes) w);
  v_write release.write;
BEGIN
  IF p_fail_fast THEN
    PERFORM set_config('lock_timeout', '50', true);
  END IF;
  -- Batches lock agents in one order, so that two batches cannot wait for each other.
  IF cardinality(v_writes) > 1 THEN
    PERFORM FROM agent_states WHERE agent_id IN (SELECT w.agent_id FROM unnest(v_writes) w) ORDER BY agent_id FOR SHARE;
  END IF;
  FOREACH v_write IN ARRAY v_writes LOOP
    IF v_write.nonce IS NOT NULL THEN
      PERFORM release.enter_write(v_write.agent_id, v_write.fence, v_write.key_epoch, v_write.later_key);
    END IF;
  END LOOP;
  RETURN v_writes;
END $$;
