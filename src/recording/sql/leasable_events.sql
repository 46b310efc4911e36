-- The oldest rows of the outbox from one on that nobody has taken, locked. Without sorting: planned while nothing waited, each
-- lease would look at all that has come since.
CREATE FUNCTION release.leasable_events(p_from bigint, p_most integer) RETURNS bigint[]
LANGUAGE plpgsql SET enable_sort = off AS $$
BEGIN
  RETURN ARRAY(
    SELECT o.outbox_id FROM outbox o WHERE o.outbox_id >= p_from AND o.lease_until < clock_timestamp()
    ORDER BY o.outbox_id LIMIT p_most FOR UPDATE SKIP LOCKED);
END $$;
