-- Which submission decides, the earliest that wins if any does (docs/challenges#submissions, docs/challenges#scoring): among
-- the standing, award-eligible ones of agents not suspended, else the earliest of these. No row: there is none.
CREATE FUNCTION release.deciding_submission(p_challenge_id text) RETURNS TABLE (agent_id text, win boolean)
LANGUAGE sql STABLE AS $$
  SELECT s.agent_id, s.win FROM challenge_submissions s
  JOIN agent_states a ON a.agent_id = s.agent_id AND NOT a.suspended
  WHERE s.challenge_id = p_challenge_id AND s.award_eligible
  ORDER BY s.win DESC, s.submission_number LIMIT 1
$$;
