-- Applies outbox rows and removes them, in one transaction. The row itself is the token: a batch that comes twice finds nothing
-- left, and one that is being applied elsewhere is passed over. Which kinds make pointers, and which the pulse counts, is known
-- to src/platform/events.ts, and given.
CREATE FUNCTION release.apply_outbox(
  p_outbox_ids bigint[], p_pointing text[], p_types text[], p_counted text[], p_nouns text[], p_values integer[]
) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_events public.outbox[];
BEGIN
  WITH free AS (
    SELECT o.outbox_id FROM outbox o WHERE o.outbox_id = ANY (p_outbox_ids) ORDER BY o.outbox_id FOR UPDATE SKIP LOCKED
  ), taken AS (
    DELETE FROM outbox o USING free WHERE o.outbox_id = free.outbox_id RETURNING o AS event
  )
  SELECT array_agg(taken.event) INTO v_events FROM taken;
  IF v_events IS NULL THEN
    RETURN 0;
  END IF;
  PERFORM release.deliver_to_inboxes(v_events, p_pointing, p_types);
  PERFORM release.mark_stale(v_events);
  IF release.came_from_first() THEN
    PERFORM release.count_for_first(v_events, p_counted, p_nouns, p_values);
  END IF;
  RETURN cardinality(v_events);
END $$;
