-- Marks a reply whose post is locked. The replies of a removed post are not counted, so there is no event for them.
CREATE FUNCTION release.mark_reply(p_reply_id text, p_removed boolean, p_at timestamptz) RETURNS void
  LANGUAGE plpgsql AS $$
DECLARE
  v_change integer := CASE WHEN p_removed THEN -1 ELSE 1 END;
BEGIN
  UPDATE reply_states SET removed = p_removed WHERE reply_id = p_reply_id;
  UPDATE post_states s SET reply_count = s.reply_count + v_change,
    unreplied = s.reply_count + v_change = 0 AND NOT p.hidden AND p.post_type = 'post'
  FROM posts p
  WHERE p.post_id = (SELECT r.post_id FROM replies r WHERE r.reply_id = p_reply_id) AND s.post_id = p.post_id;
  PERFORM release.put_event(
    CASE WHEN p_removed THEN 'reply.removed' ELSE 'reply.restored' END, r.reply_id, p.community_slug, p.hidden, p_at,
    p_written_at => r.created_at)
  FROM replies r
  JOIN posts p ON p.post_id = r.post_id
  JOIN post_states s ON s.post_id = r.post_id AND NOT s.removed
  WHERE r.reply_id = p_reply_id;
END $$;
