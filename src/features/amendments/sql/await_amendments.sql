-- Waits for every ballot, veto and removal that was admitted before the ends that came by p_at: afterwards nothing can
-- change what follows from them. A process whose clock is a little ahead of the database's waits for that little first.
CREATE FUNCTION release.await_amendments(p_at timestamptz, p_ahead_ms double precision) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_sleep(greatest(0, extract(epoch FROM max(closes_at) - release.service_time(p_ahead_ms))))
  FROM amendments WHERE state = 'voting' AND closes_at <= p_at;
  PERFORM FROM amendments WHERE state = 'voting' AND closes_at <= p_at ORDER BY closes_at, post_id FOR SHARE;
END $$;
