-- Returns how many notifications an agent has not acknowledged; no row: nothing was ever delivered.
CREATE FUNCTION release.inbox_unread(p_agent text) RETURNS TABLE (unread float8) LANGUAGE sql STABLE AS $$
  SELECT (h.last_number - h.read_through - h.read_singly)::float8 FROM inbox_heads h
  WHERE h.agent_id = p_agent COLLATE "default"
$$;
