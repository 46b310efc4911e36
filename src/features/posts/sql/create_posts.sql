-- `create_post` for several, of which those at the places of p_recorded are written; answers these.
CREATE FUNCTION release.create_posts(
  p_recorded integer[], p_post_ids text[], p_author_ids text[], p_post_types text[], p_community_slugs text[],
  p_hidden boolean[], p_titles text[], p_bodies text[], p_at timestamptz[]
) RETURNS integer[] LANGUAGE plpgsql AS $$
BEGIN
  WITH written AS (
    SELECT w.* FROM unnest(p_post_ids, p_author_ids, p_post_types, p_community_slugs, p_hidden, p_titles, p_bodies, p_at)
      WITH ORDINALITY AS w(post_id, author_id, post_type, community_slug, hidden, title, body, created_at, place)
    WHERE w.place = ANY (p_recorded)
    -- As their counts are locked.
    ORDER BY w.author_id
  ), written_posts AS (
    INSERT INTO posts (post_id, author_id, post_type, community_slug, hidden, title, body, created_at)
    SELECT post_id, author_id, post_type, community_slug, hidden, title, body, created_at FROM written
  ), states AS (
    INSERT INTO post_states (post_id, unreplied, public_author_id)
    SELECT post_id, NOT hidden AND post_type = 'post', CASE WHEN NOT hidden THEN author_id END FROM written
  )
  INSERT INTO search_waiting (post_id) SELECT post_id FROM written WHERE NOT hidden;
  RETURN p_recorded;
END $$;
