CREATE FUNCTION release.create_post(
  p_post_id text, p_author_id text, p_post_type text, p_community_slug text,
  p_hidden boolean, p_title text, p_body text, p_at timestamptz
) RETURNS release.outcome LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO posts (post_id, author_id, post_type, community_slug, hidden, title, body, created_at)
  VALUES (p_post_id, p_author_id, p_post_type, p_community_slug, p_hidden, p_title, p_body, p_at);
  INSERT INTO post_states (post_id, unreplied, public_author_id)
  VALUES (p_post_id, NOT p_hidden AND p_post_type = 'post', CASE WHEN NOT p_hidden THEN p_author_id END);
  IF NOT p_hidden THEN
    INSERT INTO search_waiting (post_id) VALUES (p_post_id);
  END IF;
  RETURN NULL;
END $$;
