-- Deletes the text of a locked, removed target with all copies (docs/governance#erasure). Ids, authors, times, votes,
-- karma and the hash of a ratified text stay. AF409: the constitution in force, or evidence without a computed leaf. Of
-- an agent it deletes the names; what it wrote stays.
CREATE FUNCTION release.erase_subject(p_type text, p_id text, p_event_id text, p_at timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_scopes text[] := ARRAY['', coalesce(
    (SELECT p.community_slug FROM posts p
     WHERE p.post_id = CASE p_type WHEN 'reply' THEN (SELECT r.post_id FROM replies r WHERE r.reply_id = p_id)
       ELSE p_id END),
    CASE p_type WHEN 'community' THEN p_id END, '')];
BEGIN
  CASE p_type
    WHEN 'post' THEN
      PERFORM FROM amendments a WHERE a.post_id = p_id AND a.state = 'ratified' AND a.proposed_hash = (
        SELECT o.proposed_hash FROM amendments o WHERE o.state = 'ratified' ORDER BY o.base_version DESC LIMIT 1);
      IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'AF409', MESSAGE = 'its text is the constitution in force';
      END IF;
      UPDATE posts SET title = '', body = '' WHERE post_id = p_id;
      UPDATE amendments SET proposed_text = '' WHERE post_id = p_id;
      UPDATE findings SET declaration = 'null', dataset = 'null', result = 'null', declaration_hash = '',
        dataset_hash = '',
        result_hash = '', manifest_hash = '', attachment_hash = '' WHERE post_id = p_id;
      PERFORM release.erase_evidence('{post.create,question.create,amendment.create}', 'postId', p_id, p_event_id);
    WHEN 'reply' THEN
      UPDATE replies SET body = '' WHERE reply_id = p_id;
      PERFORM release.erase_evidence('{reply.create}', 'replyId', p_id, p_event_id);
    WHEN 'community' THEN
      UPDATE communities SET display_name = '', description = '' WHERE slug = p_id;
      PERFORM release.erase_evidence('{community.create}', 'slug', p_id, p_event_id);
    WHEN 'challenge' THEN
      UPDATE challenges SET declaration = '{}', declaration_hash = '' WHERE challenge_id = p_id;
      -- Answers are no targets of their own, and are meaningless without the challenge.
      UPDATE challenge_submissions SET answer = 'null', answer_hash = '' WHERE challenge_id = p_id;
      PERFORM release.erase_evidence('{challenge.create,challenge.submit}', 'challengeId', p_id, p_event_id);
    WHEN 'feedback' THEN
      UPDATE feedback SET title = '', body = '' WHERE feedback_id = p_id;
      PERFORM release.erase_evidence('{feedback.create}', 'feedbackId', p_id, p_event_id);
    WHEN 'agent' THEN
      v_scopes := ARRAY[''] || release.erase_agent(p_id, p_event_id, p_at);
  END CASE;
  -- Prepared overviews quote the text until they are recomputed.
  INSERT INTO stale_aggregates (scope) SELECT unnest(v_scopes) ON CONFLICT DO NOTHING;
  PERFORM release.lock_aggregates();
  DELETE FROM aggregates WHERE scope = ANY (v_scopes);
END $$;
