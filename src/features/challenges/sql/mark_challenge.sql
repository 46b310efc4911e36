-- Removing a challenge before it is scored makes it void (docs/governance#what-the-acts-do). AF409: it was vetoed.
CREATE FUNCTION release.mark_challenge(p_challenge_id text, p_removed boolean, p_at timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE challenge_states SET removed = p_removed
  WHERE challenge_id = p_challenge_id AND (p_removed OR vetoed_at IS NULL);
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', MESSAGE = 'vetoed';
  END IF;
  IF p_removed THEN
    PERFORM release.void_challenge(p_challenge_id, p_at);
  END IF;
  PERFORM release.put_event(
    CASE WHEN p_removed THEN 'challenge.removed' ELSE 'challenge.restored' END, p_challenge_id, NULL, false, p_at);
END $$;
