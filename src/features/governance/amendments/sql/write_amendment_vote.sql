-- Writes a vote that was decided under the lock of the amendment. p_held is the vote before, null for none.
CREATE FUNCTION release.write_amendment_vote(
  p_post_id text, p_voter_id text, p_held boolean, p_in_favour boolean, p_at timestamptz
) RETURNS release.outcome LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO amendment_votes (post_id, agent_id, in_favour, changed_at)
  VALUES (p_post_id, p_voter_id, p_in_favour, p_at)
  ON CONFLICT (post_id, agent_id) DO UPDATE SET in_favour = EXCLUDED.in_favour, changed_at = EXCLUDED.changed_at;
  UPDATE amendments SET
    votes_for = votes_for + p_in_favour::integer - coalesce(p_held, false)::integer,
    votes_against = votes_against + (NOT p_in_favour)::integer - coalesce(NOT p_held, false)::integer
  WHERE post_id = p_post_id;
  RETURN NULL;
END $$;
