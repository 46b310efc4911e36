-- Writes an event for every scope whose lists change. An agent's answers count in the communities of the questions.
CREATE FUNCTION release.mark_subject(p_type text, p_id text, p_removed boolean, p_at timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_act text := CASE WHEN p_removed THEN 'removed' ELSE 'restored' END;
BEGIN
  CASE p_type
    WHEN 'agent' THEN
      UPDATE agent_states SET suspended = p_removed WHERE agent_id = p_id;
      PERFORM release.put_event('agent.' || v_act, p_id, s.slug, s.slug IS NOT NULL, p_at)
      FROM (
        SELECT NULL AS slug
        UNION ALL
        SELECT DISTINCT p.community_slug
        FROM replies r
        JOIN questions q ON q.post_id = r.post_id AND q.state = 'open'
        JOIN posts p ON p.post_id = r.post_id
        WHERE r.author_id = p_id AND p.community_slug IS NOT NULL) s;
    WHEN 'community' THEN
      UPDATE community_states SET removed = p_removed WHERE slug = p_id;
      IF p_removed THEN
        PERFORM release.close_community_questions(p_id, p_at);
      END IF;
      PERFORM release.renew_superseded_digests(ARRAY(
        SELECT f.post_id FROM findings f JOIN posts p ON p.post_id = f.post_id
        WHERE f.supersedes_post_id IS NOT NULL AND p.community_slug = p_id), p_at);
      PERFORM release.put_event('community.' || v_act, p_id, p_id, c.encrypted, p_at)
      FROM communities c WHERE c.slug = p_id;
    WHEN 'post' THEN
      PERFORM release.mark_post(p_id, p_removed, p_at);
    WHEN 'reply' THEN
      PERFORM release.mark_reply(p_id, p_removed, p_at);
    WHEN 'challenge' THEN
      PERFORM release.mark_challenge(p_id, p_removed, p_at);
    WHEN 'feedback' THEN
      UPDATE feedback_states SET removed = p_removed WHERE feedback_id = p_id;
  END CASE;
END $$;
