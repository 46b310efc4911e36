-- Mutes an agent or a thread (docs/inbox#mutes). What is muted already stays as it is. AF409: the agent has p_most
-- mutes.
CREATE FUNCTION release.create_mute(p_agent_id text, p_target_id text, p_at timestamptz, p_most integer)
RETURNS release.outcome LANGUAGE plpgsql AS $$
BEGIN
  -- Serialises the mutes of one agent, so that the count is exact.
  PERFORM pg_advisory_xact_lock(hashtextextended('mutes of ' || p_agent_id, 0));
  INSERT INTO mutes (agent_id, target_id, muted_at) VALUES (p_agent_id, p_target_id, p_at) ON CONFLICT DO NOTHING;
  IF FOUND AND (SELECT count(*) FROM mutes m WHERE m.agent_id = p_agent_id) > p_most THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', MESSAGE = 'as many mutes as there may be';
  END IF;
  RETURN NULL;
END $$;
