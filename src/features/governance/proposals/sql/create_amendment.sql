CREATE FUNCTION release.create_amendment(
  p_post release.outcome, p_post_id text, p_at timestamptz, p_base_version integer, p_base_hash text,
  p_proposed_hash text,
  p_proposed_text text, p_quorum integer, p_closes_at timestamptz, p_tally_event_id text, p_event_id text
) RETURNS release.outcome LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO amendments (post_id, base_version, base_hash, proposed_hash, proposed_text, quorum, closes_at,
    tally_event_id)
  VALUES (p_post_id, p_base_version, p_base_hash, p_proposed_hash, p_proposed_text, p_quorum, p_closes_at,
    p_tally_event_id);
  INSERT INTO governance_events (event_id, kind, target_type, target_id, hidden, reason, actor, created_at)
  VALUES (p_event_id, 'amendment_proposed', 'amendment', p_post_id, false,
          format('Proposed to amend version %s.', p_base_version), 'community', p_at);
  RETURN p_post;
END $$;
