CREATE FUNCTION release.remove_mute(p_agent_id text, p_target_id text) RETURNS release.outcome LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM mutes m WHERE m.agent_id = p_agent_id AND m.target_id = p_target_id;
  RETURN NULL;
END $$;
