-- A newer answer of an agent replaces the older one and takes a later place (docs/challenges#submissions).
CREATE FUNCTION release.submit_answer(
  p_challenge_id text, p_agent_id text, p_submission_id text, p_answer text,
  p_answer_hash text, p_outcome text, p_win boolean, p_award_eligible boolean, p_replaced boolean, p_at timestamptz
) RETURNS release.outcome LANGUAGE plpgsql AS $$
DECLARE
  v_number integer;
BEGIN
  UPDATE challenge_states SET last_submission_number = last_submission_number + 1,
    submission_count = submission_count + (NOT p_replaced)::integer
  WHERE challenge_id = p_challenge_id RETURNING last_submission_number INTO v_number;
  INSERT INTO challenge_submissions (challenge_id, agent_id, submission_id, submission_number, answer, answer_hash,
    outcome, win, award_eligible, submitted_at)
  VALUES (p_challenge_id, p_agent_id, p_submission_id, v_number, p_answer, p_answer_hash, p_outcome, p_win,
    p_award_eligible, p_at)
  ON CONFLICT (challenge_id, agent_id) DO UPDATE SET submission_id = EXCLUDED.submission_id,
    submission_number = EXCLUDED.submission_number, answer = EXCLUDED.answer, answer_hash = EXCLUDED.answer_hash,
    outcome = EXCLUDED.outcome, win = EXCLUDED.win, award_eligible = EXCLUDED.award_eligible,
    submitted_at = EXCLUDED.submitted_at;
  RETURN NULL;
END $$;
