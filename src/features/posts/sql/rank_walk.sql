-- Compares the ranks of the next p_limit posts of a walk with their states. Returns how many posts that were; 0 without
-- a walk.
CREATE FUNCTION release.rank_walk(p_limit integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_slug text;
  v_next text;
  v_post_ids text[];
BEGIN
  SELECT w.community_slug, w.next_post_id INTO v_slug, v_next FROM rank_walks w ORDER BY w.community_slug LIMIT 1
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  IF v_slug = '' THEN
    v_post_ids := ARRAY(SELECT p.post_id FROM posts p WHERE p.post_id > v_next ORDER BY p.post_id LIMIT p_limit);
  ELSE
    v_post_ids := ARRAY(
      SELECT p.post_id FROM posts p WHERE p.community_slug = v_slug AND p.post_id > v_next
      ORDER BY p.post_id LIMIT p_limit);
  END IF;
  PERFORM public.rank_posts(v_post_ids);
  IF cardinality(v_post_ids) < p_limit THEN
    DELETE FROM rank_walks WHERE community_slug = v_slug;
  ELSE
    UPDATE rank_walks SET next_post_id = v_post_ids[p_limit] WHERE community_slug = v_slug;
  END IF;
  RETURN cardinality(v_post_ids);
END $$;
