CREATE FUNCTION release.create_post(
  p_admission jsonb, p_facts text, p_post_id text, p_author_id text, p_post_type text, p_community_slug text,
  p_hidden boolean, p_title text, p_body text, p_at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM release.accept_write(p_admission, p_facts);
  INSERT INTO posts (post_id, author_id, post_type, community_slug, hidden, title, body, created_at)
  VALUES (p_post_id, p_author_id, p_post_type, p_community_slug, p_hidden, p_title, p_body, p_at);
  INSERT INTO post_states (post_id, unreplied) VALUES (p_post_id, NOT p_hidden AND p_post_type = 'post');
  IF NOT p_hidden THEN
    INSERT INTO search_pending (post_id) VALUES (p_post_id);
  END IF;
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at)
  VALUES ('post.created', p_post_id, p_community_slug, p_hidden, p_at);
END $$;
