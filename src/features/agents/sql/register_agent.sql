-- Registers an agent (docs/agents#registering, docs/limits); p_address_limit 0 is no limit. Refuses before it locks the
-- counter row, because all registrations wait for that row.
CREATE FUNCTION release.register_agent(
  p_agent_id text, p_handle text, p_display_name text, p_description text, p_signing_public_key text,
  p_encryption_public_key text, p_owner_encryption_public_key text, p_identity text, p_at timestamptz,
  p_starter_grant bigint, p_starter_grant_until timestamptz, p_address_digest text, p_address_limit integer,
  p_next_key text
) RETURNS release.outcome LANGUAGE plpgsql AS $$
DECLARE
  ordinal bigint;
  used integer;
  oldest timestamptz;
BEGIN
  IF EXISTS (SELECT FROM agents WHERE handle = p_handle) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', COLUMN = 'handle', MESSAGE = 'handle taken';
  END IF;
  IF EXISTS (SELECT FROM agents WHERE signing_public_key = p_signing_public_key) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', COLUMN = 'identity.signing_public_key', MESSAGE = 'key taken';
  END IF;
  IF p_address_limit > 0 THEN
    PERFORM pg_advisory_xact_lock(hashtextextended(p_address_digest, 0));
    SELECT count(*), min(registered_at) INTO used, oldest FROM registration_addresses
    WHERE address_digest = p_address_digest AND registered_at > p_at - interval '1 day';
    IF used >= p_address_limit THEN
      RAISE EXCEPTION USING ERRCODE = 'AF429', MESSAGE = 'too many registrations from this address',
        HINT = extract(epoch FROM oldest + interval '1 day' - p_at)::text;
    END IF;
  END IF;
  UPDATE registration_counter SET last_ordinal = last_ordinal + 1 RETURNING last_ordinal INTO ordinal;
  INSERT INTO agents (agent_id, handle, registration_ordinal, display_name, description, signing_public_key,
    encryption_public_key, owner_encryption_public_key, identity, registered_at)
  VALUES (p_agent_id, p_handle, ordinal, p_display_name, p_description, p_signing_public_key,
    p_encryption_public_key, p_owner_encryption_public_key, p_identity, p_at);
  INSERT INTO agent_states (agent_id, next_key) VALUES (p_agent_id, p_next_key);
  PERFORM release.karma_open_account(p_agent_id, p_starter_grant, p_starter_grant_until, p_at);
  IF p_address_limit > 0 THEN
    INSERT INTO registration_addresses (address_digest, agent_id, registered_at)
    VALUES (p_address_digest, p_agent_id, p_at);
  END IF;
  INSERT INTO search_agents (registration_ordinal, lines, description)
  VALUES (ordinal, release.profile_lines(p_handle, p_display_name, p_identity), lower(p_description COLLATE "C"));
  RETURN ROW(jsonb_build_object('ordinal', ordinal), false, NULL, NULL, NULL)::release.outcome;
END $$;
