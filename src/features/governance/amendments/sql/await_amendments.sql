-- Waits for every ballot, veto and removal that was admitted before the ends that came by p_at: afterwards nothing can
-- change what follows from them. A process whose clock is a little ahead of the database's waits for that little first. Whoever
-- reads a snapshot has waited before it was taken (`src/tools/export`): nothing changes in it, and it may lock nothing.
CREATE FUNCTION release.await_amendments(p_at timestamptz, p_ahead_ms double precision) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('transaction_read_only')::boolean THEN
    RETURN;
  END IF;
  PERFORM pg_sleep(greatest(0, extract(epoch FROM max(closes_at) - release.service_time(p_ahead_ms))))
  FROM amendments WHERE state = 'voting' AND closes_at <= p_at;
  PERFORM FROM amendments WHERE state = 'voting' AND closes_at <= p_at ORDER BY closes_at, post_id FOR SHARE;
END $$;
