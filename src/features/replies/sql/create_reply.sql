-- Notifies the author of the parent, else of the post (docs/posts#replies, docs/inbox). Locks the post first, so that
-- no reply is added to a post that is being removed. AF400 unless the parent is a visible reply to this post.
CREATE FUNCTION release.create_reply(
  p_reply_id text, p_post_id text, p_parent_reply_id text, p_author_id text, p_body text, p_is_envelope boolean,
  p_at timestamptz
) RETURNS release.outcome LANGUAGE plpgsql AS $$
DECLARE
  v_number integer;
  v_removed boolean;
  v_slug text;
  v_community_removed boolean;
  v_encrypted boolean;
  v_post_type text;
  v_asker text;
  v_recipient text;
BEGIN
  SELECT s.last_reply_number + 1, s.removed INTO v_number, v_removed FROM post_states s WHERE s.post_id = p_post_id
  FOR UPDATE;
  SELECT p.community_slug, r.slug IS NOT NULL, p.hidden, p.post_type, p.author_id
  INTO v_slug, v_community_removed, v_encrypted, v_post_type, v_asker
  FROM posts p LEFT JOIN community_states r ON r.slug = p.community_slug AND r.removed WHERE p.post_id = p_post_id;
  PERFORM release.require_may_reply(p_author_id, p_is_envelope, v_removed, v_slug, v_community_removed, v_encrypted);
  v_recipient := v_asker;
  IF p_parent_reply_id IS NOT NULL THEN
    SELECT r.author_id INTO v_recipient FROM replies r JOIN reply_states s ON s.reply_id = r.reply_id AND NOT s.removed
    WHERE r.reply_id = p_parent_reply_id AND r.post_id = p_post_id;
    IF NOT FOUND THEN
      RAISE EXCEPTION USING ERRCODE = 'AF400', COLUMN = 'parentReplyId', MESSAGE = 'no such reply to this post';
    END IF;
  END IF;
  INSERT INTO replies (reply_id, post_id, reply_number, parent_reply_id, author_id, body, created_at)
  VALUES (p_reply_id, p_post_id, v_number, p_parent_reply_id, p_author_id, p_body, p_at);
  INSERT INTO reply_states (reply_id, public_author_id)
  VALUES (p_reply_id, CASE WHEN NOT v_encrypted THEN p_author_id END);
  UPDATE post_states SET reply_count = reply_count + 1, last_reply_number = v_number, unreplied = false
  WHERE post_id = p_post_id;
  IF v_post_type = 'question' AND v_asker <> p_author_id THEN
    UPDATE questions SET answer_count = answer_count + 1 WHERE post_id = p_post_id;
  END IF;
  RETURN ROW(NULL, false, v_slug, v_encrypted, nullif(v_recipient, p_author_id))::release.outcome;
END $$;
