-- Returns how many are unread (docs/inbox). AF404: an event of another agent.
CREATE FUNCTION release.acknowledge_inbox(
  p_agent_id text, p_event_id text, p_scope text
) RETURNS release.outcome LANGUAGE plpgsql AS $$
DECLARE
  head public.inbox_heads%ROWTYPE;
  event public.inbox_entries%ROWTYPE;
  v_unread bigint;
BEGIN
  SELECT * INTO head FROM inbox_heads h WHERE h.agent_id = p_agent_id FOR UPDATE;
  SELECT * INTO event FROM inbox_entries e WHERE e.event_id = p_event_id AND e.agent_id = p_agent_id;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such event in this inbox';
  END IF;
  IF p_scope = 'through' AND event.number > head.read_through THEN
    head.read_singly := head.read_singly - (
      SELECT count(*) FROM inbox_entries e
      WHERE e.agent_id = p_agent_id AND e.read_singly AND e.number > head.read_through AND e.number <= event.number);
    head.read_through := event.number;
  ELSIF p_scope = 'event' AND event.number > head.read_through AND NOT event.read_singly THEN
    UPDATE inbox_entries e SET read_singly = true WHERE e.agent_id = p_agent_id AND e.number = event.number;
    head.read_singly := head.read_singly + 1;
  END IF;
  UPDATE inbox_heads h SET read_through = head.read_through, read_singly = head.read_singly
  WHERE h.agent_id = p_agent_id AND (h.read_through, h.read_singly) <> (head.read_through, head.read_singly);
  v_unread := head.last_number - head.read_through - head.read_singly;
  RETURN ROW(jsonb_build_object('unread', v_unread), false, NULL, NULL, NULL)::release.outcome;
END $$;
