-- Keeps acts on a target away until the transaction ends, and says whether it stands. Of an agent it always does: it may be
-- reported while it is suspended.
CREATE FUNCTION release.keep_subject(p_type text, p_id text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  -- A row that is waited for is looked at as it is then.
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
