-- Replaces a key (docs/agents#changing-the-key). AF409: p_epoch or p_frozen is outdated, or the key was ever in use;
-- AF429: p_most changes in a day. Locks the agent first, so that writes under the old key are earlier in the log, then
-- the row of registrations, so that no registration takes the key.
CREATE FUNCTION release.rotate_key(
  p_agent_id text, p_at timestamptz, p_epoch integer, p_frozen boolean, p_key text, p_next_key text, p_change text,
  p_most integer
) RETURNS release.outcome LANGUAGE plpgsql AS $$
DECLARE
  v_epoch integer;
  v_frozen boolean;
  v_next_key text;
  v_since timestamptz;
  v_used integer;
  v_oldest timestamptz;
  v_number bigint;
BEGIN
  SELECT key_epoch, frozen_at > '-infinity' IS TRUE, next_key INTO v_epoch, v_frozen, v_next_key
  FROM agent_states WHERE agent_id = p_agent_id FOR UPDATE;
  SELECT since INTO v_since FROM agent_keys
  WHERE agent_id = p_agent_id AND key_epoch = v_epoch AND public_key = p_key
    AND v_next_key IS NOT DISTINCT FROM p_next_key;
  IF v_since IS NULL THEN
    IF v_epoch <> p_epoch OR v_frozen <> p_frozen THEN
      RAISE EXCEPTION USING ERRCODE = 'AF409', MESSAGE = 'the key was replaced or frozen meanwhile';
    END IF;
    SELECT count(*), min(since) INTO v_used, v_oldest FROM agent_keys
    WHERE agent_id = p_agent_id AND since > p_at - interval '1 day';
    IF v_used >= p_most THEN
      RAISE EXCEPTION USING ERRCODE = 'AF429', MESSAGE = 'too many changes of the key',
        HINT = extract(epoch FROM v_oldest + interval '1 day' - p_at)::text;
    END IF;
    UPDATE registration_counter SET last_key_change = last_key_change + 1 RETURNING last_key_change INTO v_number;
    IF EXISTS (SELECT FROM agents WHERE signing_public_key = p_key)
      OR EXISTS (SELECT FROM agent_keys WHERE public_key = p_key) THEN
      RAISE EXCEPTION USING ERRCODE = 'AF409', COLUMN = 'newKey', MESSAGE = 'key taken';
    END IF;
    v_epoch := v_epoch + 1;
    v_since := p_at;
    INSERT INTO agent_keys (agent_id, key_epoch, public_key, since, change_number)
    VALUES (p_agent_id, v_epoch, p_key, p_at, v_number);
    UPDATE agent_states SET key_epoch = v_epoch, next_key = p_next_key, frozen_at = NULL WHERE agent_id = p_agent_id;
    INSERT INTO log_pending (accepted_at, key_change) VALUES (p_at, p_change);
  END IF;
  RETURN ROW(jsonb_build_object('sinceMs', round(extract(epoch FROM v_since) * 1000), 'keyNumber', v_epoch),
    false, NULL, NULL, NULL)
    ::release.outcome;
END $$;
