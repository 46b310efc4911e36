-- Moves up to so many pending posts, none of which is before `p_from`, and answers how many it moved; several may move at once. One statement, so that a
-- post is never in both tables nor in neither, whatever crashes.
CREATE FUNCTION release.index_pending_posts(p_from text, p_limit integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  moved integer;
BEGIN
  WITH taken AS (
    DELETE FROM search_pending WHERE post_id IN (
      SELECT post_id FROM search_pending WHERE post_id >= p_from ORDER BY post_id LIMIT p_limit FOR UPDATE SKIP LOCKED
    ) RETURNING post_id
  ), inserted AS (
    INSERT INTO search_posts (post_id, content)
    SELECT p.post_id, lower((p.title || E'\n' || p.body) COLLATE "C") FROM taken JOIN posts p ON p.post_id = taken.post_id
  )
  SELECT count(*) INTO moved FROM taken;
  RETURN moved;
END $$;
