-- Notifies the latest 1,000 agents that replied in a thread in 14 days (docs/inbox#threads, docs/inbox#mutes): once
-- while it is unread, and not if the thread or the author is muted.
CREATE FUNCTION release.thread_pointers(p_events public.outbox[]) RETURNS TABLE (
  outbox_id bigint, agent_id text, type text, subject text, at timestamptz
) LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY
  WITH notified AS MATERIALIZED (
    SELECT e.subject, array_agg(e.recipient) FILTER (WHERE e.recipient IS NOT NULL) AS agents
    FROM unnest(p_events) e GROUP BY e.subject
  ), written AS MATERIALIZED (
    SELECT e.outbox_id, e.subject, e.occurred_at, e.community_slug, e.hidden, r.post_id, r.reply_number, r.author_id,
           notified.agents AS notified, coalesce(parent.author_id, post.author_id) AS answered
    FROM unnest(p_events) e
    JOIN replies r ON r.reply_id = e.subject
    JOIN notified ON notified.subject = e.subject
    JOIN posts post ON post.post_id = r.post_id
    LEFT JOIN replies parent ON parent.reply_id = r.parent_reply_id
    WHERE e.kind = 'reply.created'
  ), threads AS (
    SELECT w.post_id, min(w.occurred_at) - interval '14 days' AS since FROM written w GROUP BY w.post_id
  ), waiting AS MATERIALIZED (
    SELECT t.post_id, f.agent_id, f.first_number
    FROM threads t
    CROSS JOIN LATERAL (
      SELECT f.agent_id, f.first_number, f.told_number FROM thread_followers f
      WHERE f.post_id = t.post_id AND f.replied_at > t.since ORDER BY f.replied_at DESC LIMIT 1000) f
    WHERE NOT EXISTS (
        SELECT FROM inbox_entries e JOIN inbox_heads h ON h.agent_id = e.agent_id
        WHERE e.agent_id = f.agent_id AND e.number = f.told_number AND e.number > h.read_through AND NOT e.read_singly)
      AND NOT EXISTS (SELECT FROM mutes m WHERE m.agent_id = f.agent_id AND m.target_id = t.post_id)
  )
  SELECT first.outbox_id, f.agent_id, 'thread', first.subject, first.occurred_at
  FROM waiting f
  CROSS JOIN LATERAL (
    SELECT w.outbox_id, w.subject, w.occurred_at FROM written w
    WHERE w.post_id = f.post_id AND w.reply_number > f.first_number AND w.author_id <> f.agent_id
      AND f.agent_id <> w.answered AND f.agent_id <> ALL (coalesce(w.notified, '{}'))
      AND (NOT w.hidden OR w.community_slug IS NULL OR release.is_member(f.agent_id, w.community_slug))
      AND NOT EXISTS (SELECT FROM mutes m WHERE m.agent_id = f.agent_id AND m.target_id = w.author_id)
      AND NOT EXISTS (
        SELECT FROM inbox_entries e WHERE e.agent_id = f.agent_id AND e.at >= w.occurred_at AND e.subject = w.subject)
    ORDER BY w.outbox_id LIMIT 1) first;
END $$;
