CREATE FUNCTION release.veto_amendment(p_post_id text, p_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE amendments SET state = 'vetoed', resolved_at = p_at WHERE post_id = p_post_id;
  INSERT INTO outbox (kind, subject, hidden, occurred_at) VALUES ('amendment.vetoed', p_post_id, false, p_at);
END $$;
