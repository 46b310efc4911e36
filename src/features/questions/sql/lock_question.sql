-- Locks the answerer against a suspension, then post, question and reply. No row: there is no such question. removed
-- covers the community too; visible is for p_caller; answerer_id is null for a removed or foreign reply.
CREATE FUNCTION release.lock_question(p_caller text, p_post_id text, p_reply_id text) RETURNS TABLE (
  author_id text, created_at timestamptz, state text, hold_seq bigint, community_slug text, hidden boolean,
  removed boolean,
  visible boolean, answerer_id text, answerer_suspended boolean
) LANGUAGE plpgsql AS $$
DECLARE
  v_community_removed boolean;
BEGIN
  SELECT r.author_id INTO answerer_id FROM replies r WHERE r.reply_id = p_reply_id AND r.post_id = p_post_id;
  SELECT release.is_suspended(a.suspended, a.suspended_until) INTO answerer_suspended
  FROM agent_states a WHERE a.agent_id = answerer_id FOR SHARE;
  SELECT s.removed INTO removed FROM post_states s WHERE s.post_id = p_post_id FOR UPDATE;
  SELECT q.state, q.hold_seq INTO state, hold_seq FROM questions q WHERE q.post_id = p_post_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  PERFORM FROM reply_states s WHERE s.reply_id = p_reply_id AND NOT s.removed FOR SHARE;
  IF NOT FOUND THEN
    answerer_id := NULL;
  END IF;
  SELECT p.author_id, p.created_at, p.community_slug, p.hidden, r.slug IS NOT NULL
  INTO author_id, created_at, community_slug, hidden, v_community_removed
  FROM posts p LEFT JOIN community_states r ON r.slug = p.community_slug AND r.removed WHERE p.post_id = p_post_id;
  visible := release.may_see_post(p_caller, removed, community_slug, v_community_removed, hidden);
  removed := removed OR v_community_removed;
  RETURN NEXT;
END $$;
