-- One event stands for all replies of a minute, or older than a day: many events would delay later notifications.
CREATE FUNCTION release.mark_post(p_post_id text, p_removed boolean, p_at timestamptz) RETURNS void
  LANGUAGE plpgsql AS $$
DECLARE
  v_act text := CASE WHEN p_removed THEN 'removed' ELSE 'restored' END;
BEGIN
  UPDATE post_states SET removed = p_removed WHERE post_id = p_post_id;
  PERFORM release.renew_superseded_digests(ARRAY[p_post_id], p_at);
  PERFORM release.put_event('post.' || v_act, p.post_id, p.community_slug, p.hidden, p_at, p_written_at => p.created_at)
  FROM posts p WHERE p.post_id = p_post_id;
  PERFORM release.put_event('reply.' || v_act, r.reply_id, r.community_slug, r.hidden, p_at,
    p_written_at => r.created_at,
                            p_events => r.events)
  FROM (
    SELECT min(r.reply_id) AS reply_id, p.community_slug, p.hidden, min(r.created_at) AS created_at,
      count(*)::integer AS events
    FROM posts p
    JOIN replies r ON r.post_id = p.post_id
    JOIN reply_states s ON s.reply_id = r.reply_id AND NOT s.removed
    WHERE p.post_id = p_post_id
    GROUP BY p.community_slug, p.hidden, release.minute_of(greatest(r.created_at, p_at - interval '1500 minutes'))) r;
END $$;
