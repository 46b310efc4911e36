-- Makes a locked challenge void and releases its award and stakes, unless it is settled or vetoed (docs/challenges,
-- docs/governance#what-the-acts-do).
CREATE FUNCTION release.void_challenge(p_challenge_id text, p_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE challenge_states SET settled_as = 'void', outcome = 'void', settled_at = p_at
  WHERE challenge_id = p_challenge_id AND settled_as IS NULL AND vetoed_at IS NULL;
  IF FOUND THEN
    PERFORM release.release_challenge(p_challenge_id, p_at);
  END IF;
END $$;
