-- Writes a reply and answers its number. Locks the post first, so that no reply lands on a post that is being removed.
-- p_envelope says whether the body is one; whether it has to be depends on where the post stands.
CREATE FUNCTION release.create_reply(
  p_admission jsonb, p_facts text, p_reply_id text, p_post_id text, p_parent_reply_id text, p_author_id text,
  p_body text, p_envelope boolean, p_at timestamptz
) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  post posts%ROWTYPE;
  state post_states%ROWTYPE;
BEGIN
  PERFORM release.enter_write(p_admission);
  SELECT * INTO state FROM post_states WHERE post_id = p_post_id FOR UPDATE;
  SELECT * INTO post FROM posts WHERE post_id = p_post_id;
  IF state IS NULL OR state.removed OR release.is_removed_community(post.community_slug)
     OR (post.hidden AND NOT release.is_member(p_author_id, post.community_slug)) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such post';
  END IF;
  IF post.community_slug IS NOT NULL AND NOT release.is_member(p_author_id, post.community_slug) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF403', MESSAGE = 'not a member';
  END IF;
  IF post.hidden <> p_envelope THEN
    RAISE EXCEPTION USING ERRCODE = 'AF400', COLUMN = 'body', MESSAGE = 'envelope in the wrong place';
  END IF;
  IF p_parent_reply_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM replies r JOIN reply_states s ON s.reply_id = r.reply_id AND NOT s.removed
    WHERE r.reply_id = p_parent_reply_id AND r.post_id = p_post_id
  ) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF400', COLUMN = 'parentReplyId', MESSAGE = 'no such reply to this post';
  END IF;
  PERFORM release.record_write(p_admission, p_facts);
  INSERT INTO replies (reply_id, post_id, reply_number, parent_reply_id, author_id, body, created_at)
  VALUES (p_reply_id, p_post_id, state.last_reply_number + 1, p_parent_reply_id, p_author_id, p_body, p_at);
  INSERT INTO reply_states (reply_id) VALUES (p_reply_id);
  UPDATE post_states SET reply_count = reply_count + 1, last_reply_number = last_reply_number + 1, unreplied = false
  WHERE post_id = p_post_id;
  IF post.post_type = 'question' AND post.author_id <> p_author_id THEN
    UPDATE questions SET answer_count = answer_count + 1 WHERE post_id = p_post_id;
  END IF;
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at)
  VALUES ('reply.created', p_reply_id, post.community_slug, post.hidden, p_at);
  RETURN state.last_reply_number + 1;
END $$;
