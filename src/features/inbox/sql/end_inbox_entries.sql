-- Ends read notifications delivered p_days ago (docs/inbox#what-ends), without gaps in numbers; skips locked inboxes.
-- Returns how many inboxes it looked at, and how many notifications ended.
CREATE FUNCTION release.end_inbox_entries(p_days integer, p_agents integer, p_entries integer) RETURNS TABLE (
  looked integer, ended integer
) LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_before timestamptz := v_now - make_interval(days => p_days);
  v_head record;
  v_oldest record;
  v_through bigint;
BEGIN
  looked := 0;
  ended := 0;
  FOR v_head IN
    SELECT h.agent_id, h.read_through, h.ended_through FROM inbox_heads h
    WHERE h.sweep_at < v_now ORDER BY h.sweep_at LIMIT p_agents FOR UPDATE SKIP LOCKED
  LOOP
    looked := looked + 1;
    SELECT max(e.number) AS last, count(*) AS count,
           min(e.number) FILTER (WHERE e.stays) AS first_to_stay, min(e.at) FILTER (WHERE e.stays) AS stays_since
    INTO v_oldest
    FROM (
      SELECT e.number, e.at, e.at >= v_before OR e.number > v_head.read_through AND NOT e.read_singly AS stays
      FROM inbox_entries e WHERE e.agent_id = v_head.agent_id AND e.number > v_head.ended_through
      ORDER BY e.number LIMIT p_entries) e;
    v_through := coalesce(v_oldest.first_to_stay - 1, v_oldest.last, v_head.ended_through);
    DELETE FROM inbox_entries e
    WHERE e.agent_id = v_head.agent_id AND e.number > v_head.ended_through AND e.number <= v_through;
    ended := ended + (v_through - v_head.ended_through);
    -- A singly acknowledged entry that ended counts as read with all before it.
    UPDATE inbox_heads h SET ended_through = v_through,
      read_singly = h.read_singly - greatest(v_through - h.read_through, 0),
      read_through = greatest(h.read_through, v_through),
      sweep_at = CASE
        WHEN v_oldest.first_to_stay IS NULL AND v_oldest.count = p_entries THEN h.sweep_at
        ELSE v_now + greatest(interval '1 day', least(interval '10 days', v_oldest.stays_since - v_before)) END
    WHERE h.agent_id = v_head.agent_id;
  END LOOP;
  RETURN NEXT;
END $$;
