CREATE FUNCTION release.create_feedback(
  p_feedback_id text, p_author_id text, p_kind text, p_title text, p_body text,
  p_at timestamptz
) RETURNS release.outcome LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO feedback (feedback_id, kind, title, body, author_id, created_at)
  VALUES (p_feedback_id, p_kind, p_title, p_body, p_author_id, p_at);
  INSERT INTO feedback_states (feedback_id, updated_at) VALUES (p_feedback_id, p_at);
  RETURN NULL;
END $$;
