-- Whom an act on a target concerns: the agent itself, or who wrote, founded, declared or filed the target.
CREATE FUNCTION release.agent_concerned(p_type text, p_id text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE p_type
    WHEN 'agent' THEN p_id
    WHEN 'community' THEN (SELECT created_by FROM communities WHERE slug = p_id)
    WHEN 'post' THEN (SELECT author_id FROM posts WHERE post_id = p_id)
    WHEN 'reply' THEN (SELECT author_id FROM replies WHERE reply_id = p_id)
    WHEN 'challenge' THEN (SELECT declarer_id FROM challenges WHERE challenge_id = p_id)
    WHEN 'feedback' THEN (SELECT author_id FROM feedback WHERE feedback_id = p_id)
  END
$$;
