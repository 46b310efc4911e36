-- Locks a challenge that is neither vetoed nor removed; returns what decides an agent's submission or stake.
CREATE FUNCTION release.lock_challenge(p_challenge_id text, p_agent_id text) RETURNS TABLE (
  staking_opens_at timestamptz, scoring_at timestamptz, settled_as text, declarer_id text, submitted boolean,
  backed_outcome text, backed_micro bigint
) LANGUAGE plpgsql AS $$
DECLARE
  v_visible boolean;
BEGIN
  SELECT s.staking_opens_at, s.scoring_at, s.settled_as, s.vetoed_at IS NULL AND NOT s.removed
  INTO staking_opens_at, scoring_at, settled_as, v_visible
  FROM challenge_states s WHERE s.challenge_id = p_challenge_id FOR UPDATE;
  IF NOT FOUND OR NOT v_visible THEN
    RETURN;
  END IF;
  SELECT c.declarer_id INTO declarer_id FROM challenges c WHERE c.challenge_id = p_challenge_id;
  submitted := EXISTS (
    SELECT FROM challenge_submissions u WHERE u.challenge_id = p_challenge_id AND u.agent_id = p_agent_id);
  SELECT min(k.outcome), coalesce(sum(k.amount_micro), 0) INTO backed_outcome, backed_micro
  FROM challenge_stakes k WHERE k.challenge_id = p_challenge_id AND k.agent_id = p_agent_id;
  RETURN NEXT;
END $$;
