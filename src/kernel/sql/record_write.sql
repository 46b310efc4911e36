-- Stores the receipt; the last word on replays and on the allowance.
CREATE FUNCTION release.record_write(p_admission jsonb, p_facts text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT (p_admission->>'preview')::boolean THEN
    INSERT INTO write_receipts (agent_id, nonce, signed_at, operation, counter, status, facts, created_at)
    VALUES (p_admission->>'agentId', p_admission->>'nonce', (p_admission->>'signedAt')::timestamptz,
            p_admission->>'operation', p_admission->>'counter', (p_admission->>'status')::smallint, p_facts,
            (p_admission->>'at')::timestamptz)
    ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      RAISE EXCEPTION USING ERRCODE = 'AF401', MESSAGE = 'replayed';
    END IF;
  END IF;
  IF p_admission->>'counter' IS NOT NULL AND NOT (p_admission->>'reserved')::boolean THEN
    RAISE EXCEPTION USING ERRCODE = 'AF429', MESSAGE = 'nothing left of the allowance';
  END IF;
END $$;
