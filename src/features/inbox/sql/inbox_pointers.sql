-- The pointers that events of the outbox make (docs/inbox): one for each recipient that is named, of the type that p_types
-- gives the kind in p_kinds. In an encrypted community none for who is not a member of it. Processes of release 1 leave open
-- who is told of a reply.
CREATE FUNCTION release.inbox_pointers(p_events public.outbox[], p_kinds text[], p_types text[]) RETURNS TABLE (
  outbox_id bigint, agent_id text, type text, subject text, at timestamptz
) LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY
  SELECT p.outbox_id, p.agent_id, t.type, p.subject, p.occurred_at
  FROM (
    SELECT e.outbox_id, e.kind, e.subject, e.occurred_at, e.hidden, e.community_slug,
           CASE WHEN e.recipient IS NULL AND e.kind = 'reply.created' THEN (
             SELECT nullif(coalesce(parent.author_id, post.author_id), reply.author_id)
             FROM replies reply
             JOIN posts post ON post.post_id = reply.post_id
             LEFT JOIN replies parent ON parent.reply_id = reply.parent_reply_id
             WHERE reply.reply_id = e.subject) ELSE e.recipient END AS agent_id
    FROM unnest(p_events) e
  ) p
  JOIN unnest(p_kinds, p_types) t (kind, type) ON t.kind = p.kind
  WHERE p.agent_id IS NOT NULL
    AND (NOT p.hidden OR p.community_slug IS NULL OR release.is_member(p.agent_id, p.community_slug));
END $$;
