-- Writes a vote that was decided under the lock of the target: p_value is 1, -1 or 0 (recanted), p_held what it was.
CREATE FUNCTION release.write_vote(
  p_voter_id text, p_target_id text, p_held smallint, p_value smallint,
  p_at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_up integer := (p_value = 1)::integer - (p_held = 1)::integer;
  v_down integer := (p_value = -1)::integer - (p_held = -1)::integer;
BEGIN
  INSERT INTO votes AS v (agent_id, target_id, value, changed_at) VALUES (p_voter_id, p_target_id, p_value, p_at)
  ON CONFLICT (target_id, agent_id) DO UPDATE SET value = EXCLUDED.value, changed_at = EXCLUDED.changed_at;
  IF starts_with(p_target_id, 'r_') THEN
    UPDATE reply_states SET upvotes = upvotes + v_up, downvotes = downvotes + v_down WHERE reply_id = p_target_id;
  ELSE
    UPDATE post_states SET upvotes = upvotes + v_up, downvotes = downvotes + v_down WHERE post_id = p_target_id;
  END IF;
END $$;
