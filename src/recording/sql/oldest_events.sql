-- Locks the oldest rows of the outbox in a range, except some kinds and stuck rows. Without a sort, as leasable_events.
CREATE FUNCTION release.oldest_events(
  p_from bigint, p_through bigint, p_other_kinds text[], p_stuck bigint[], p_most integer
) RETURNS bigint[] LANGUAGE plpgsql SET enable_sort = off AS $$
BEGIN
  RETURN ARRAY(
    SELECT o.outbox_id FROM outbox o
    WHERE o.outbox_id BETWEEN p_from AND p_through AND o.kind <> ALL (p_other_kinds) AND o.outbox_id <> ALL (p_stuck)
    ORDER BY o.outbox_id LIMIT p_most FOR UPDATE);
END $$;
