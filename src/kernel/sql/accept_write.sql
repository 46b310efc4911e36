-- Both at once, for writes that are one statement.
CREATE FUNCTION release.accept_write(p_admission jsonb, p_facts text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM release.enter_write(p_admission);
  PERFORM release.record_write(p_admission, p_facts);
END $$;
