-- Keeps acts on a target away until the transaction ends: what is seen of it then stands as it is seen.
CREATE FUNCTION release.keep_subject(p_type text, p_id text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  CASE p_type
    WHEN 'agent' THEN PERFORM FROM agent_states s WHERE s.agent_id = p_id FOR SHARE;
    WHEN 'community' THEN PERFORM FROM community_states s WHERE s.slug = p_id FOR SHARE;
    WHEN 'post' THEN PERFORM FROM post_states s WHERE s.post_id = p_id FOR SHARE;
    WHEN 'reply' THEN PERFORM FROM reply_states s WHERE s.reply_id = p_id FOR SHARE;
    WHEN 'challenge' THEN PERFORM FROM challenge_states s WHERE s.challenge_id = p_id FOR SHARE;
    WHEN 'feedback' THEN PERFORM FROM feedback_states s WHERE s.feedback_id = p_id FOR SHARE;
  END CASE;
END $$;
