-- Marks a locked post, and tells the totals of it and of the replies that vanish or come back with it: one of those that were
-- written in a minute, or before the last day, counts for all of them. Of the others only processes of release 1 want to know,
-- and a long thread keeps every pointer behind it waiting.
CREATE FUNCTION release.mark_post(p_post_id text, p_removed boolean, p_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_act text := CASE WHEN p_removed THEN 'removed' ELSE 'restored' END;
BEGIN
  UPDATE post_states SET removed = p_removed WHERE post_id = p_post_id;
  PERFORM release.put_event('post.' || v_act, p.post_id, p.community_slug, p.hidden, p_at, p_written_at => p.created_at)
  FROM posts p WHERE p.post_id = p_post_id;
  PERFORM release.put_event('reply.' || v_act, r.reply_id, r.community_slug, r.hidden, p_at, p_written_at => r.created_at,
                            p_events => r.events)
  FROM (
    SELECT r.reply_id, p.community_slug, p.hidden, r.created_at,
           CASE WHEN row_number() OVER same_minute = 1 THEN count(*) OVER same_minute ELSE 0 END::integer AS events
    FROM posts p
    JOIN replies r ON r.post_id = p.post_id
    JOIN reply_states s ON s.reply_id = r.reply_id AND NOT s.removed
    WHERE p.post_id = p_post_id
    WINDOW same_minute AS (PARTITION BY release.minute_of(greatest(r.created_at, p_at - interval '1500 minutes')))) r
  WHERE r.events > 0 OR release.came_from_first();
END $$;
