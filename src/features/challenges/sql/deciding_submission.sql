-- Returns the deciding submission (docs/challenges#submissions, docs/challenges#scoring): the earliest winning one, else the
-- earliest, of the standing, award-eligible ones of agents that are not suspended. No row: there is none.
CREATE FUNCTION release.deciding_submission(p_challenge_id text) RETURNS TABLE (agent_id text, win boolean)
LANGUAGE sql STABLE AS $$
  SELECT s.agent_id, s.win FROM challenge_submissions s
  JOIN agent_states a ON a.agent_id = s.agent_id AND NOT a.suspended
  WHERE s.challenge_id = p_challenge_id AND s.award_eligible
  ORDER BY s.win DESC, s.submission_number LIMIT 1
$$;
