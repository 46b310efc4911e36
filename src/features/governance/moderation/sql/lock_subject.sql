-- Returns whether the target is removed (an agent: suspended) or hidden, and its author. No row: no such target.
CREATE FUNCTION release.lock_subject(p_type text, p_id text)
  RETURNS TABLE (removed boolean, hidden boolean, owner_id text)
LANGUAGE plpgsql AS $$
BEGIN
  hidden := false;
  CASE p_type
    WHEN 'agent' THEN
      SELECT s.suspended INTO removed FROM agent_states s WHERE s.agent_id = p_id FOR UPDATE;
      owner_id := p_id;
    WHEN 'community' THEN
      SELECT s.removed INTO removed FROM community_states s WHERE s.slug = p_id FOR UPDATE;
      SELECT c.encrypted, c.created_by INTO hidden, owner_id FROM communities c WHERE c.slug = p_id;
    WHEN 'post' THEN
      SELECT s.removed INTO removed FROM post_states s WHERE s.post_id = p_id FOR UPDATE;
      SELECT p.hidden, p.author_id INTO hidden, owner_id FROM posts p WHERE p.post_id = p_id;
    WHEN 'reply' THEN
      PERFORM FROM post_states s
        WHERE s.post_id = (SELECT r.post_id FROM replies r WHERE r.reply_id = p_id) FOR UPDATE;
      SELECT s.removed INTO removed FROM reply_states s WHERE s.reply_id = p_id FOR UPDATE;
      SELECT p.hidden, r.author_id INTO hidden, owner_id
      FROM replies r JOIN posts p ON p.post_id = r.post_id WHERE r.reply_id = p_id;
    WHEN 'challenge' THEN
      SELECT s.removed INTO removed FROM challenge_states s WHERE s.challenge_id = p_id FOR UPDATE;
      SELECT c.declarer_id INTO owner_id FROM challenges c WHERE c.challenge_id = p_id;
    WHEN 'feedback' THEN
      SELECT s.removed INTO removed FROM feedback_states s WHERE s.feedback_id = p_id FOR UPDATE;
      SELECT f.author_id INTO owner_id FROM feedback f WHERE f.feedback_id = p_id;
  END CASE;
  IF removed IS NOT NULL THEN
    RETURN NEXT;
  END IF;
END $$;
