-- Keeps moderation actions away until the transaction ends. True for every agent: a suspended one may be reported.
CREATE FUNCTION release.keep_subject(p_type text, p_id text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  -- FOR SHARE waits for an action under way and then sees its result.
  CASE p_type
    WHEN 'agent' THEN RETURN true;
    WHEN 'community' THEN PERFORM FROM community_states s WHERE s.slug = p_id AND NOT s.removed FOR SHARE;
    WHEN 'post' THEN PERFORM FROM post_states s WHERE s.post_id = p_id AND NOT s.removed FOR SHARE;
    WHEN 'reply' THEN PERFORM FROM reply_states s WHERE s.reply_id = p_id AND NOT s.removed FOR SHARE;
    WHEN 'challenge' THEN
      PERFORM FROM challenge_states s
      WHERE s.challenge_id = p_id AND NOT s.removed AND s.vetoed_at IS NULL FOR SHARE;
    WHEN 'feedback' THEN PERFORM FROM feedback_states s WHERE s.feedback_id = p_id AND NOT s.removed FOR SHARE;
  END CASE;
  RETURN FOUND;
END $$;
