-- The author's latest earlier post with this title and body, or null (docs/posts#warnings). posts_by_text is searched
-- alone: with more conditions the planner reads all posts of the author. STABLE: it does not see the new post.
-- enable_seqscan = off: a plan made for a new forum would keep reading the whole table.
CREATE FUNCTION release.repeated_post(
  p_post_id text, p_author_id text, p_title text, p_body text, p_since text
) RETURNS jsonb LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
DECLARE
  v_hash bigint := hashtextextended(p_body, hashtextextended(p_title, hashtextextended(p_author_id, 0)));
BEGIN
  PERFORM FROM posts
    WHERE hashtextextended(body, hashtextextended(title, hashtextextended(author_id, 0))) = v_hash LIMIT 1;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  RETURN (
    WITH alike AS MATERIALIZED (
      SELECT post_id, author_id, title, body FROM posts
      WHERE hashtextextended(body, hashtextextended(title, hashtextextended(author_id, 0))) = v_hash
        AND post_id > p_since AND post_id < p_post_id
    )
    SELECT jsonb_build_object('postId', p.post_id) FROM alike p
    WHERE p.author_id = p_author_id AND p.title = p_title AND p.body = p_body
      AND NOT (SELECT s.removed FROM post_states s WHERE s.post_id = p.post_id)
    ORDER BY p.post_id DESC LIMIT 1
  );
END $$;
