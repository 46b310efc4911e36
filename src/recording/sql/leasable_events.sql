-- Locks the oldest free rows of the outbox from p_from on. A plan with a sort, made while the outbox was empty, would
-- read all rows.
CREATE FUNCTION release.leasable_events(p_from bigint, p_most integer) RETURNS bigint[]
LANGUAGE plpgsql SET enable_sort = off AS $$
BEGIN
  RETURN ARRAY(
    SELECT o.outbox_id FROM outbox o WHERE o.outbox_id >= p_from AND o.lease_until < clock_timestamp()
    ORDER BY o.outbox_id LIMIT p_most FOR UPDATE SKIP LOCKED);
END $$;
