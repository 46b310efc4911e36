-- Waits for every ballot, veto and removal admitted before votes that ended by p_at, also if a process's clock is
-- ahead. Does nothing in a read-only transaction: an export (`src/tools/export`) waited before it took its snapshot.
CREATE FUNCTION release.await_amendments(p_at timestamptz, p_ahead_ms double precision) RETURNS void
  LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('transaction_read_only')::boolean THEN
    RETURN;
  END IF;
  PERFORM pg_sleep(greatest(0, extract(epoch FROM max(closes_at) - release.service_time(p_ahead_ms))))
  FROM amendments WHERE state = 'voting' AND closes_at <= p_at;
  PERFORM FROM amendments WHERE state = 'voting' AND closes_at <= p_at ORDER BY closes_at, post_id FOR SHARE;
END $$;
