-- Serialises storing an overview and erasing: one computed before an erasure must not be stored after it.
CREATE FUNCTION release.lock_aggregates() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(5107204);
END $$;
