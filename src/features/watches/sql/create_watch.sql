-- Creates a watch (docs/inbox#watches). Returns the existing one if the agent watches the same already. AF409: the
-- agent has p_most watches. AF429: p_changes changes in a day. Of an author it stores the handle and returns the
-- agentId, because the receipt outlives an erased handle.
CREATE FUNCTION release.create_watch(
  p_watch_id text, p_agent_id text, p_kind text, p_value text, p_sought text, p_gram integer,
  p_other_gram integer, p_at timestamptz, p_most integer, p_changes integer
) RETURNS release.outcome LANGUAGE plpgsql AS $$
DECLARE
  v_watch record;
  v_value text := p_value;
BEGIN
  PERFORM release.lock_watcher(p_agent_id);
  SELECT w.watch_id, w.value, w.created_at INTO v_watch FROM watches w
  WHERE w.agent_id = p_agent_id AND w.kind = p_kind AND w.sought = p_sought COLLATE "C";
  IF FOUND THEN
    RETURN ROW(jsonb_build_object('watchId', v_watch.watch_id,
      'value', CASE p_kind WHEN 'author' THEN p_sought ELSE v_watch.value END,
      'createdMs', round(extract(epoch FROM v_watch.created_at) * 1000)), false, NULL, NULL, NULL)::release.outcome;
  END IF;
  IF (SELECT count(*) FROM watches w WHERE w.agent_id = p_agent_id) >= p_most THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', MESSAGE = 'the agent has the maximum number';
  END IF;
  PERFORM release.count_watch_change(p_agent_id, p_at, p_changes);
  IF p_kind = 'author' THEN
    -- The lock waits for an erasure of the author.
    SELECT a.handle INTO v_value FROM agents a WHERE a.agent_id = p_sought FOR KEY SHARE;
  END IF;
  INSERT INTO watches (agent_id, watch_id, kind, value, sought, gram, other_gram, created_at)
  VALUES (p_agent_id, p_watch_id, p_kind, v_value, p_sought, p_gram, p_other_gram, p_at);
  RETURN NULL;
END $$;
