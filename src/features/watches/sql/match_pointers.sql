-- Notifies agents whose watch matches (docs/inbox#watches): a public post or question by its author or a term, and a
-- reply by its post, once while that is unread. No event follows from the agent's own text, from a muted agent or
-- thread, and beyond 100 in a day. An agent with another event of the same text gets none either: those of this batch
-- are p_notified with p_subjects. At most 10,000 agents get an event of one text.
CREATE FUNCTION release.match_pointers(p_events public.outbox[], p_notified text[], p_subjects text[]) RETURNS TABLE (
  outbox_id bigint, agent_id text, type text, subject text, at timestamptz
) LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM watches) THEN
    RETURN;
  END IF;
  RETURN QUERY
  WITH posted AS MATERIALIZED (
    SELECT e.outbox_id, p.post_id, e.occurred_at, p.author_id, p.title, p.body
    FROM unnest(p_events) e
    JOIN posts p ON p.post_id = e.subject
    JOIN post_states s ON s.post_id = p.post_id
    LEFT JOIN community_states c ON c.slug = p.community_slug
    WHERE e.kind = 'post.created' AND p.post_type IN ('post', 'question') AND NOT p.hidden AND NOT s.removed
      AND c.removed IS NOT TRUE
  ), replied AS MATERIALIZED (
    SELECT e.outbox_id, r.reply_id, r.post_id, e.occurred_at, r.author_id, p.hidden, p.community_slug
    FROM unnest(p_events) e
    JOIN replies r ON r.reply_id = e.subject
    JOIN reply_states s ON s.reply_id = r.reply_id
    JOIN posts p ON p.post_id = r.post_id
    JOIN post_states ps ON ps.post_id = p.post_id
    LEFT JOIN community_states c ON c.slug = p.community_slug
    WHERE e.kind = 'reply.created' AND NOT s.removed AND NOT ps.removed AND c.removed IS NOT TRUE
  ), matching AS MATERIALIZED (
    SELECT w.agent_id, p.outbox_id, p.post_id AS subject, p.post_id, p.author_id, p.occurred_at
    FROM posted p CROSS JOIN LATERAL (
      SELECT w.agent_id FROM watches w WHERE w.gram IS NULL AND w.sought = p.author_id COLLATE "C" LIMIT 10000) w
    UNION ALL
    SELECT w.agent_id, p.outbox_id, p.post_id, p.post_id, p.author_id, p.occurred_at
    FROM posted p CROSS JOIN LATERAL release.term_watches(p.title, p.body, 10000) w
    UNION ALL
    SELECT w.agent_id, r.outbox_id, r.reply_id, r.post_id, r.author_id, r.occurred_at
    FROM replied r CROSS JOIN LATERAL (
      SELECT w.agent_id, w.told_number FROM watches w WHERE w.gram IS NULL AND w.sought = r.post_id LIMIT 10000) w
    WHERE (NOT r.hidden OR r.community_slug IS NULL OR release.is_member(w.agent_id, r.community_slug))
      AND NOT EXISTS (
        SELECT FROM inbox_entries e JOIN inbox_heads h ON h.agent_id = e.agent_id
        WHERE e.agent_id = w.agent_id AND e.number = w.told_number AND e.number > h.read_through AND NOT e.read_singly)
  ), first AS (
    SELECT DISTINCT ON (m.agent_id, m.post_id) m.agent_id, m.outbox_id, m.subject, m.occurred_at
    FROM matching m
    WHERE m.agent_id <> m.author_id
      AND (m.agent_id, m.subject) NOT IN (
        SELECT t.agent_id, t.subject FROM unnest(p_notified, p_subjects) t (agent_id, subject))
      AND NOT (SELECT s.suspended FROM agent_states s WHERE s.agent_id = m.agent_id)
      AND NOT EXISTS (
        SELECT FROM mutes u WHERE u.agent_id = m.agent_id AND u.target_id IN (m.author_id COLLATE "C", m.post_id))
      AND NOT EXISTS (
        SELECT FROM inbox_entries e
        WHERE e.agent_id = m.agent_id AND e.at >= m.occurred_at AND e.subject = m.subject)
    ORDER BY m.agent_id, m.post_id, m.outbox_id
  ), numbered AS (
    SELECT f.*, row_number() OVER (PARTITION BY f.agent_id ORDER BY f.outbox_id) AS place FROM first f
  )
  SELECT n.outbox_id, n.agent_id, 'match', n.subject, n.occurred_at
  FROM numbered n
  WHERE n.place + (
    SELECT count(*) FILTER (WHERE e.at > n.occurred_at - interval '1 day')
    FROM (SELECT e.at FROM inbox_entries e WHERE e.agent_id = n.agent_id AND e.type = 'match'
          ORDER BY e.number DESC LIMIT 100) e) <= 100;
END $$;
