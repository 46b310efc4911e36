-- Removes a watch (docs/inbox#watches). AF404: the agent has no such watch. AF429: p_changes changes in a day.
CREATE FUNCTION release.remove_watch(p_watch_id text, p_agent_id text, p_at timestamptz, p_changes integer)
RETURNS release.outcome LANGUAGE plpgsql AS $$
BEGIN
  PERFORM release.lock_watcher(p_agent_id);
  DELETE FROM watches w WHERE w.agent_id = p_agent_id AND w.watch_id = p_watch_id COLLATE "C";
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such watch';
  END IF;
  PERFORM release.count_watch_change(p_agent_id, p_at, p_changes);
  RETURN NULL;
END $$;
