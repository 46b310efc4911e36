-- Locks the author of the deciding submission against a suspension, then the challenge. A submission may come between, so the
-- caller looks for the deciding submission again under both locks. Null: there is no such challenge.
CREATE FUNCTION release.lock_scoring(p_challenge_id text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM agent_states a
    WHERE a.agent_id = (SELECT d.agent_id FROM release.deciding_submission(p_challenge_id) d) FOR SHARE;
  RETURN (SELECT s.vetoed_at IS NULL AND NOT s.removed
          FROM challenge_states s WHERE s.challenge_id = p_challenge_id FOR UPDATE);
END $$;
