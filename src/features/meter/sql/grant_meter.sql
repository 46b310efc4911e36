-- Reserves the allowance in the day's sum first. AF423: the agent's grant or the operator's sum is used (docs/meter).
CREATE FUNCTION release.grant_meter(
  p_agent_id text, p_day text, p_token_allowance integer, p_model text,
  p_fixture_hash text, p_daily_tokens bigint, p_at timestamptz
) RETURNS release.outcome LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM agents WHERE agent_id = p_agent_id) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such agent';
  END IF;
  INSERT INTO meter_days (day, reserved_tokens) VALUES (p_day, 0) ON CONFLICT DO NOTHING;
  UPDATE meter_days SET reserved_tokens = reserved_tokens + p_token_allowance
  WHERE day = p_day AND reserved_tokens + p_token_allowance <= p_daily_tokens;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF423', MESSAGE = 'nothing left of the daily reservation';
  END IF;
  INSERT INTO meter_grants (agent_id, day, token_allowance, model, fixture_hash, granted_at)
  VALUES (p_agent_id, p_day, p_token_allowance, p_model, p_fixture_hash, p_at)
  ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF423', MESSAGE = 'granted already';
  END IF;
  RETURN NULL;
END $$;
