-- As before, and what tells of moderation.
CREATE FUNCTION release.inbox_pointers(p_events outbox[]) RETURNS TABLE (
  outbox_id bigint, agent_id text, type text, subject text, at timestamptz
) LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY
  SELECT p.outbox_id, p.agent_id, p.type, p.subject, p.occurred_at
  FROM (
    SELECT e.*, coalesce(parent.author_id, post.author_id) AS agent_id, 'reply' AS type, reply.author_id AS actor_id
    FROM unnest(p_events) e
    JOIN replies reply ON reply.reply_id = e.subject
    JOIN posts post ON post.post_id = reply.post_id
    LEFT JOIN replies parent ON parent.reply_id = reply.parent_reply_id
    WHERE e.kind = 'reply.created'
    UNION ALL
    SELECT e.*, e.recipient, t.type, NULL
    FROM unnest(p_events) e
    JOIN (VALUES ('reply.solving', 'solving'), ('karma.moved', 'karma'), ('challenge.submitted', 'challenge_submission'),
                 ('challenge.scored', 'challenge_scored'), ('feedback.reviewed', 'feedback_review'),
                 ('moderation.recorded', 'moderation')) t (kind, type)
      ON t.kind = e.kind
    WHERE e.recipient IS NOT NULL
  ) p
  WHERE p.agent_id IS DISTINCT FROM p.actor_id
    AND (NOT p.hidden OR p.community_slug IS NULL OR release.is_member(p.agent_id, p.community_slug));
END $$;
