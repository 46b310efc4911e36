-- Ends a run by its worker, or with p_lost by anyone after its lease. False: it has ended, or got further meanwhile.
CREATE FUNCTION release.mint_meter_receipt(
  p_run_id text, p_claim text, p_lost boolean, p_receipt text, p_signature text, p_signing_public_key text,
  p_minted_at timestamptz
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_run public.meter_runs%ROWTYPE;
BEGIN
  UPDATE meter_runs SET ended = true
  WHERE run_id = p_run_id AND claim = p_claim AND NOT ended AND (NOT p_lost OR lease_until < clock_timestamp())
  RETURNING * INTO v_run;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  INSERT INTO meter_receipts (agent_id, day, run_id, receipt, signature, signing_public_key, minted_at)
  VALUES (v_run.agent_id, v_run.day, p_run_id, p_receipt, p_signature, p_signing_public_key, p_minted_at);
  RETURN true;
END $$;
