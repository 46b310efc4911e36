-- Locks accounts in a fixed order. Call it first if a transaction moves karma of several agents.
CREATE FUNCTION release.karma_lock(p_agents text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM karma_accounts WHERE agent_id = ANY (p_agents) ORDER BY agent_id FOR NO KEY UPDATE;
END $$;
