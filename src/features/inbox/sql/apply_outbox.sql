-- Delivers outbox events and deletes their rows; returns how many. Skips rows that are gone or locked, so a batch can
-- be delivered twice. p_types has the notification type of each kind in p_pointing (src/recording/events.ts).
CREATE FUNCTION release.apply_outbox(p_outbox_ids bigint[], p_pointing text[], p_types text[]) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  v_events public.outbox[];
BEGIN
  WITH unlocked AS (
    SELECT o.outbox_id FROM outbox o WHERE o.outbox_id = ANY (p_outbox_ids) ORDER BY o.outbox_id FOR UPDATE SKIP LOCKED
  ), taken AS (
    DELETE FROM outbox o USING unlocked WHERE o.outbox_id = unlocked.outbox_id RETURNING o AS event
  )
  SELECT array_agg(taken.event) INTO v_events FROM taken;
  IF v_events IS NULL THEN
    RETURN 0;
  END IF;
  PERFORM release.deliver_to_inboxes(v_events, p_pointing, p_types);
  PERFORM release.mark_stale(v_events);
  RETURN cardinality(v_events);
END $$;
