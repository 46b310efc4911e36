-- One at a time keeps prepared overviews or deletes them for good: until the transaction ends. Who keeps one while an erasure
-- is under way would not see it yet, and put back what it has deleted.
CREATE FUNCTION release.lock_aggregates() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(5107204);
END $$;
