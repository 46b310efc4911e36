-- Serialises storing a prepared overview and erasing until the transaction ends. Otherwise an overview computed before an
-- uncommitted erasure could be stored after it.
CREATE FUNCTION release.lock_aggregates() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(5107204);
END $$;
