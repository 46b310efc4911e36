CREATE FUNCTION release.create_challenge(
  p_challenge_id text, p_declarer_id text, p_declaration text, p_declaration_hash text,
  p_award_micro bigint, p_staking_opens_at timestamptz, p_scoring_at timestamptz, p_at timestamptz
) RETURNS release.outcome LANGUAGE plpgsql AS $$
DECLARE
  v_hold bigint;
BEGIN
  v_hold := release.karma_hold(p_declarer_id, p_award_micro, 'challenge_escrow', p_challenge_id, p_at);
  INSERT INTO challenges (challenge_id, declarer_id, declaration, declaration_hash, award_micro, hold_seq, created_at)
  VALUES (p_challenge_id, p_declarer_id, p_declaration, p_declaration_hash, p_award_micro, v_hold, p_at);
  INSERT INTO challenge_states (challenge_id, staking_opens_at, scoring_at)
  VALUES (p_challenge_id, p_staking_opens_at, p_scoring_at);
  RETURN NULL;
END $$;
