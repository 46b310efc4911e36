CREATE FUNCTION release.veto_amendment(p_post_id text, p_at timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE amendments SET state = 'vetoed', resolved_at = p_at WHERE post_id = p_post_id;
END $$;
