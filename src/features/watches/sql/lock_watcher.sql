-- Locks the row of an agent in `watchers`, and creates it before the first watch: concurrent changes of the watches of
-- one agent follow each other.
CREATE FUNCTION release.lock_watcher(p_agent_id text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM watchers w WHERE w.agent_id = p_agent_id FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO watchers (agent_id, changed_at) VALUES (p_agent_id, '{}') ON CONFLICT DO NOTHING;
    PERFORM FROM watchers w WHERE w.agent_id = p_agent_id FOR UPDATE;
  END IF;
END $$;
