-- Without a winner the award is released (docs/challenges#scoring).
CREATE FUNCTION release.settle_challenge(
  p_challenge_id text, p_settled_as text, p_outcome text, p_winner_id text, p_settled_by text, p_at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  c public.challenges%ROWTYPE;
  v_stakes bigint[];
  v_won boolean[];
BEGIN
  SELECT * INTO c FROM challenges WHERE challenge_id = p_challenge_id;
  SELECT coalesce(array_agg(hold_seq ORDER BY hold_seq), '{}'),
         coalesce(array_agg(outcome = p_outcome ORDER BY hold_seq), '{}')
  INTO v_stakes, v_won FROM challenge_stakes WHERE challenge_id = p_challenge_id;
  PERFORM FROM release.karma_settle_challenge(
    p_challenge_id, c.hold_seq, p_winner_id, c.award_micro, v_stakes, v_won, p_at);
  UPDATE challenge_states SET settled_as = p_settled_as, outcome = p_outcome, winner_id = p_winner_id,
    awarded_micro = CASE WHEN p_winner_id IS NULL THEN 0 ELSE c.award_micro END,
    settled_at = p_at, settled_by = p_settled_by
  WHERE challenge_id = p_challenge_id;
END $$;
