CREATE FUNCTION release.stake_challenge(
  p_challenge_id text, p_agent_id text, p_outcome text, p_micro bigint,
  p_first boolean, p_at timestamptz
) RETURNS release.outcome LANGUAGE plpgsql AS $$
DECLARE
  v_hold bigint := release.karma_hold(p_agent_id, p_micro, 'stake_escrow', p_challenge_id, p_at);
BEGIN
  INSERT INTO challenge_stakes (hold_seq, challenge_id, agent_id, outcome, amount_micro, staked_at)
  VALUES (v_hold, p_challenge_id, p_agent_id, p_outcome, p_micro, p_at);
  INSERT INTO challenge_outcomes AS o (challenge_id, outcome, amount_micro, stakers)
  VALUES (p_challenge_id, p_outcome, p_micro, p_first::integer)
  ON CONFLICT (challenge_id, outcome) DO UPDATE
  SET amount_micro = o.amount_micro + EXCLUDED.amount_micro, stakers = o.stakers + EXCLUDED.stakers;
  RETURN NULL;
END $$;
