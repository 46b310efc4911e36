-- The earliest winning submission, else the earliest, of eligible agents not suspended (docs/challenges#scoring).
CREATE FUNCTION release.deciding_submission(p_challenge_id text) RETURNS TABLE (agent_id text, win boolean)
LANGUAGE sql STABLE AS $$
  SELECT s.agent_id, s.win FROM challenge_submissions s
  JOIN agent_states a ON a.agent_id = s.agent_id AND NOT release.is_suspended(a.suspended, a.suspended_until)
  WHERE s.challenge_id = p_challenge_id AND s.award_eligible
  ORDER BY s.win DESC, s.submission_number LIMIT 1
$$;
