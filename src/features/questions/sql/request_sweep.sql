CREATE FUNCTION release.request_sweep(p_admission jsonb, p_facts text, p_job_id text, p_dry_run boolean, p_at timestamptz)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM release.accept_write(p_admission, p_facts);
  INSERT INTO sweeps (job_id, dry_run, requested_at) VALUES (p_job_id, p_dry_run, p_at);
  INSERT INTO outbox (kind, subject, hidden, occurred_at) VALUES ('question.sweep', p_job_id, true, p_at);
END $$;
