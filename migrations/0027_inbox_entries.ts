import type { Knex } from 'knex';

/**
 * Pointers of a type that release 1 does not know made its processes answer an inbox with an error. They are kept under
 * another name; what those processes read under the old one leaves them out, and what they acknowledge covers them. From
 * here on moderation is told.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
ALTER TABLE inbox_events RENAME TO inbox_entries;
-- For processes of release 1 alone; its columns in the same order.
CREATE VIEW inbox_events AS
  SELECT agent_id, number, event_id, type, subject, at, read_singly, happened_at FROM inbox_entries
  WHERE type <> 'moderation';

-- As before, but for the name: what an agent was shown by this release it may acknowledge at that one.
CREATE OR REPLACE FUNCTION acknowledge_inbox(
  p_admission jsonb, p_facts text, p_agent_id text, p_event_id text, p_scope text
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  head inbox_heads%ROWTYPE;
  event inbox_entries%ROWTYPE;
  v_unread bigint;
BEGIN
  PERFORM enter_write(p_admission);
  SELECT * INTO head FROM inbox_heads h WHERE h.agent_id = p_agent_id FOR UPDATE;
  SELECT * INTO event FROM inbox_entries e WHERE e.event_id = p_event_id AND e.agent_id = p_agent_id;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such event in this inbox';
  END IF;
  IF p_scope = 'through' AND event.number > head.read_through THEN
    head.read_singly := head.read_singly - (
      SELECT count(*) FROM inbox_entries e
      WHERE e.agent_id = p_agent_id AND e.read_singly AND e.number > head.read_through AND e.number <= event.number);
    head.read_through := event.number;
  ELSIF p_scope = 'event' AND event.number > head.read_through AND NOT event.read_singly THEN
    UPDATE inbox_entries e SET read_singly = true WHERE e.agent_id = p_agent_id AND e.number = event.number;
    head.read_singly := head.read_singly + 1;
  END IF;
  UPDATE inbox_heads h SET read_through = head.read_through, read_singly = head.read_singly
  WHERE h.agent_id = p_agent_id AND (h.read_through, h.read_singly) <> (head.read_through, head.read_singly);
  v_unread := head.last_number - head.read_through - head.read_singly;
  PERFORM record_write(p_admission, (p_facts::jsonb || jsonb_build_object('unread', v_unread))::text);
  RETURN v_unread;
END $$;

ALTER TABLE governance_events ENABLE TRIGGER governance_events_told;
`);
}
