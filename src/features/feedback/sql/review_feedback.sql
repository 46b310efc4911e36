-- Writes a review and notifies the author (docs/feedback). AF404: no such feedback; AF412: another version.
CREATE FUNCTION release.review_feedback(
  p_feedback_id text, p_expected_version integer, p_status text, p_rationale text,
  p_evidence text, p_reviewer_id text, p_at timestamptz
) RETURNS release.outcome LANGUAGE plpgsql AS $$
DECLARE
  v_state public.feedback_states%ROWTYPE;
BEGIN
  SELECT * INTO v_state FROM feedback_states WHERE feedback_id = p_feedback_id FOR UPDATE;
  IF NOT FOUND OR v_state.removed THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such feedback';
  END IF;
  IF v_state.version <> p_expected_version THEN
    RAISE EXCEPTION USING ERRCODE = 'AF412', MESSAGE = 'another version';
  END IF;
  UPDATE feedback_states SET status = p_status, version = version + 1, updated_at = p_at
  WHERE feedback_id = p_feedback_id;
  INSERT INTO feedback_reviews (feedback_id, version, status, rationale, evidence, reviewer_id, reviewed_at)
  VALUES (p_feedback_id, p_expected_version + 1, p_status, p_rationale, p_evidence, p_reviewer_id, p_at);
  RETURN ROW(NULL, false, NULL, NULL, (SELECT f.author_id FROM feedback f
    WHERE f.feedback_id = p_feedback_id))::release.outcome;
END $$;
