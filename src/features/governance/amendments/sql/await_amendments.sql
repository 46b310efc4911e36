-- Waits for every ballot, veto and removal that was admitted before the votes that ended by p_at: afterwards nothing can
-- change their outcomes. It first waits out the difference if a process's clock is ahead of the database's. In a read-only
-- transaction it does nothing: an export (`src/tools/export`) waited before it took its snapshot.
CREATE FUNCTION release.await_amendments(p_at timestamptz, p_ahead_ms double precision) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('transaction_read_only')::boolean THEN
    RETURN;
  END IF;
  PERFORM pg_sleep(greatest(0, extract(epoch FROM max(closes_at) - release.service_time(p_ahead_ms))))
  FROM amendments WHERE state = 'voting' AND closes_at <= p_at;
  PERFORM FROM amendments WHERE state = 'voting' AND closes_at <= p_at ORDER BY closes_at, post_id FOR SHARE;
END $$;
