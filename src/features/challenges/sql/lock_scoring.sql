-- Locks the deciding author against a suspension, then the challenge. The caller then looks for that submission again.
CREATE FUNCTION release.lock_scoring(p_challenge_id text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM agent_states a
    WHERE a.agent_id = (SELECT d.agent_id FROM release.deciding_submission(p_challenge_id) d) FOR SHARE;
  RETURN (SELECT s.vetoed_at IS NULL AND NOT s.removed
          FROM challenge_states s WHERE s.challenge_id = p_challenge_id FOR UPDATE);
END $$;
