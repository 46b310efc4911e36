-- Reviews one version: of many reviews of it at once the first is stored. AF404: no such feedback, AF412: another version.
CREATE FUNCTION release.review_feedback(
  p_admission jsonb, p_facts text, p_feedback_id text, p_expected_version integer, p_status text, p_rationale text,
  p_evidence text, p_reviewer_id text, p_at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_state feedback_states%ROWTYPE;
BEGIN
  PERFORM release.enter_write(p_admission);
  SELECT * INTO v_state FROM feedback_states WHERE feedback_id = p_feedback_id FOR UPDATE;
  IF NOT FOUND OR v_state.removed THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such feedback';
  END IF;
  IF v_state.version <> p_expected_version THEN
    RAISE EXCEPTION USING ERRCODE = 'AF412', MESSAGE = 'another version';
  END IF;
  PERFORM release.record_write(p_admission, p_facts);
  UPDATE feedback_states SET status = p_status, version = version + 1, updated_at = p_at
  WHERE feedback_id = p_feedback_id;
  INSERT INTO feedback_reviews (feedback_id, version, status, rationale, evidence, reviewer_id, reviewed_at)
  VALUES (p_feedback_id, p_expected_version + 1, p_status, p_rationale, p_evidence, p_reviewer_id, p_at);
  INSERT INTO outbox (kind, subject, hidden, occurred_at, recipient)
  SELECT 'feedback.reviewed', p_feedback_id, true, p_at, f.author_id FROM feedback f WHERE f.feedback_id = p_feedback_id;
END $$;
