-- Numbers notifications and stores them (docs/inbox#delivery). The heads are locked in one order to avoid deadlocks.
-- The time of delivery is taken under that lock and is not before the events, so that asking since the last one seen
-- misses nothing.
CREATE FUNCTION release.deliver_to_inboxes(p_events public.outbox[], p_kinds text[], p_types text[]) RETURNS void
  LANGUAGE plpgsql AS $$
BEGIN
  WITH notified AS MATERIALIZED (
    SELECT * FROM release.inbox_pointers(p_events, p_kinds, p_types)
    UNION ALL SELECT * FROM release.thread_pointers(p_events)
  ), pointers AS MATERIALIZED (
    SELECT * FROM notified
    UNION ALL
    SELECT m.* FROM (SELECT array_agg(t.agent_id) AS agents, array_agg(t.subject) AS subjects FROM notified t) t
    CROSS JOIN LATERAL release.match_pointers(p_events, t.agents, t.subjects) m
  ), heads AS (
    INSERT INTO inbox_heads AS h (agent_id, last_number, last_at)
    SELECT p.agent_id, count(*), greatest(max(p.at), clock_timestamp())
    FROM pointers p GROUP BY p.agent_id ORDER BY p.agent_id
    ON CONFLICT (agent_id) DO UPDATE SET last_number = h.last_number + EXCLUDED.last_number,
      last_at = greatest(h.last_at, EXCLUDED.last_at, clock_timestamp())
    RETURNING h.agent_id, h.last_number, h.last_at
  ), numbered AS (
    SELECT p.*, (extract(epoch FROM p.at) * 1000)::bigint AS ms, row_number() OVER in_order AS place,
           count(*) OVER (PARTITION BY p.agent_id) AS places
    FROM pointers p WINDOW in_order AS (PARTITION BY p.agent_id ORDER BY p.outbox_id)
  ), entries AS (
    INSERT INTO inbox_entries (agent_id, number, event_id, type, subject, at, happened_at)
    SELECT n.agent_id, h.last_number - n.places + n.place, release.new_inbox_event_id(n.ms), n.type, n.subject,
      h.last_at, n.at
    FROM numbered n JOIN heads h USING (agent_id) ORDER BY n.agent_id, n.place
    RETURNING agent_id, number, type, subject
  ), followed AS (
    UPDATE thread_followers f SET told_number = e.number
    FROM entries e JOIN replies r ON r.reply_id = e.subject
    WHERE e.type = 'thread' AND f.post_id = r.post_id AND f.agent_id = e.agent_id
  )
  UPDATE watches w SET told_number = e.number
  FROM entries e JOIN replies r ON r.reply_id = e.subject
  WHERE e.type = 'match' AND w.agent_id = e.agent_id AND w.kind = 'post' AND w.sought = r.post_id;
END $$;
