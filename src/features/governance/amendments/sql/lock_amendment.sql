-- Locks a visible amendment and returns what decides a ballot (docs/governance). No row: there is no such amendment.
CREATE FUNCTION release.lock_amendment(p_post_id text, p_voter_id text, p_ahead_ms double precision) RETURNS TABLE (
  is_open boolean, votes_for integer, votes_against integer, in_favour boolean, registered_at timestamptz,
  proposed_at timestamptz
) LANGUAGE plpgsql AS $$
DECLARE
  a public.amendments%ROWTYPE;
BEGIN
  PERFORM FROM post_states s WHERE s.post_id = p_post_id AND NOT s.removed FOR SHARE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT * INTO a FROM amendments WHERE post_id = p_post_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  is_open := a.state = 'voting' AND release.service_time(p_ahead_ms) < a.closes_at;
  votes_for := a.votes_for;
  votes_against := a.votes_against;
  SELECT v.in_favour INTO in_favour FROM amendment_votes v WHERE v.post_id = p_post_id AND v.agent_id = p_voter_id;
  SELECT voter.registered_at, p.created_at INTO registered_at, proposed_at
  FROM posts p, public.agents voter WHERE p.post_id = p_post_id AND voter.agent_id = p_voter_id;
  RETURN NEXT;
END $$;
