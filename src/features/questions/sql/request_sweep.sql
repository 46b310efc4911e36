CREATE FUNCTION release.request_sweep(p_job_id text, p_dry_run boolean, p_at timestamptz)
RETURNS release.outcome LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO sweeps (job_id, dry_run, requested_at) VALUES (p_job_id, p_dry_run, p_at);
  RETURN NULL;
END $$;
