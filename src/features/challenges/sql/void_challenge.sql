-- Unless it is settled or vetoed, makes a locked challenge void and releases award and stakes (docs/challenges).
CREATE FUNCTION release.void_challenge(p_challenge_id text, p_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE challenge_states SET settled_as = 'void', outcome = 'void', settled_at = p_at
  WHERE challenge_id = p_challenge_id AND settled_as IS NULL AND vetoed_at IS NULL;
  IF FOUND THEN
    PERFORM release.release_challenge(p_challenge_id, p_at);
  END IF;
END $$;
