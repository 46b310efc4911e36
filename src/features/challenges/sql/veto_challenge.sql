-- Releases award and stakes unless they are settled (docs/challenges#scoring). AF409: it is vetoed already.
CREATE FUNCTION release.veto_challenge(p_challenge_id text, p_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_state public.challenge_states%ROWTYPE;
BEGIN
  SELECT * INTO v_state FROM challenge_states WHERE challenge_id = p_challenge_id FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such challenge';
  ELSIF v_state.vetoed_at IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', MESSAGE = 'vetoed already';
  END IF;
  IF v_state.settled_as IS NULL THEN
    PERFORM release.release_challenge(p_challenge_id, p_at);
  END IF;
  UPDATE challenge_states SET vetoed_at = p_at WHERE challenge_id = p_challenge_id;
END $$;
