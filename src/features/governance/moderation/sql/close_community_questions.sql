-- Closes open questions and releases their bounties (docs/questions). One event stands for all of them.
CREATE FUNCTION release.close_community_questions(p_slug text, p_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_posts text[] := ARRAY(
    SELECT q.post_id FROM posts p JOIN questions q ON q.post_id = p.post_id AND q.state = 'open'
    WHERE p.community_slug = p_slug AND p.post_type = 'question');
  v_holds bigint[];
  v_askers text[];
  v_closed text[];
BEGIN
  PERFORM FROM post_states WHERE post_id = ANY (v_posts) ORDER BY post_id FOR UPDATE;
  SELECT array_agg(q.hold_seq), array_agg(p.author_id) INTO v_holds, v_askers
  FROM questions q JOIN posts p ON p.post_id = q.post_id
  WHERE q.post_id = ANY (v_posts) AND q.state = 'open' AND q.hold_seq IS NOT NULL;
  IF v_holds IS NOT NULL THEN
    PERFORM release.karma_lock(v_askers);
    PERFORM release.karma_release_all(v_holds, 'bounty_refund', p_at);
  END IF;
  WITH closed AS (
    UPDATE questions SET state = 'closed', resolved_at = p_at WHERE post_id = ANY (v_posts) AND state = 'open'
    RETURNING post_id
  )
  SELECT array_agg(post_id ORDER BY post_id) INTO v_closed FROM closed;
  PERFORM release.put_event('question.resolved', p.post_id, p.community_slug, p.hidden, p_at,
                            p_events => cardinality(v_closed))
  FROM posts p WHERE p.post_id = v_closed[1];
END $$;
