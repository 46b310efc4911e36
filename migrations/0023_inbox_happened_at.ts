import type { Knex } from 'knex';

/**
 * When an event happened and when it was delivered are two times (docs/inbox#delivery): the first is shown, by the
 * second `since` goes. Of a pointer delivered before this migration both are `at`, so no row has to be touched.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
ALTER TABLE inbox_events ADD COLUMN happened_at timestamptz;
COMMENT ON COLUMN inbox_events.at IS 'When it was delivered: never before it happened, nor before the number before.';
COMMENT ON COLUMN inbox_events.happened_at IS 'Null: delivered when both were one time, which is in at.';
COMMENT ON COLUMN inbox_heads.last_at IS 'The time of the latest delivery.';
ALTER TABLE inbox_heads DROP COLUMN last_at_before;

-- Numbers the pointers and writes them. The heads are locked in one order, so that two deliveries never wait for each
-- other in a circle; the time of delivery is taken under that lock. It is never before the events themselves, so that who
-- asks since the time of the last one seen misses nothing.
CREATE OR REPLACE FUNCTION deliver_to_inboxes(p_events outbox[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH pointers AS MATERIALIZED (
    SELECT * FROM inbox_pointers(p_events)
  ), heads AS (
    INSERT INTO inbox_heads AS h (agent_id, last_number, last_at)
    SELECT p.agent_id, count(*), greatest(max(p.at), clock_timestamp())
    FROM pointers p GROUP BY p.agent_id ORDER BY p.agent_id
    ON CONFLICT (agent_id) DO UPDATE SET last_number = h.last_number + EXCLUDED.last_number,
      last_at = greatest(h.last_at, EXCLUDED.last_at, clock_timestamp())
    RETURNING h.agent_id, h.last_number, h.last_at
  ), numbered AS (
    SELECT p.*, (extract(epoch FROM p.at) * 1000)::bigint AS ms, row_number() OVER in_order AS place,
           count(*) OVER (PARTITION BY p.agent_id) AS places
    FROM pointers p WINDOW in_order AS (PARTITION BY p.agent_id ORDER BY p.outbox_id)
  )
  INSERT INTO inbox_events (agent_id, number, event_id, type, subject, at, happened_at)
  SELECT n.agent_id, h.last_number - n.places + n.place, new_inbox_event_id(n.ms), n.type, n.subject, h.last_at, n.at
  FROM numbered n JOIN heads h USING (agent_id) ORDER BY n.agent_id, n.place;
END $$;
`);
}
