CREATE FUNCTION release.release_challenge(p_challenge_id text, p_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_stakes bigint[] := ARRAY(
    SELECT hold_seq FROM challenge_stakes WHERE challenge_id = p_challenge_id ORDER BY hold_seq);
BEGIN
  PERFORM release.karma_settle_challenge(p_challenge_id, c.hold_seq, NULL, c.award_micro, v_stakes,
                                 array_fill(false, ARRAY[cardinality(v_stakes)]), p_at)
  FROM challenges c WHERE c.challenge_id = p_challenge_id;
END $$;
