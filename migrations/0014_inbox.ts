import type { Knex } from 'knex';

/** Digits of base 36, least significant last, as one expression: a loop would cost ten times as much. */
const base36 = (value: string, digits: number): string =>
  Array.from({ length: digits }, (_, index) => {
    const place = 36 ** (digits - 1 - index);
    return `substr('0123456789abcdefghijklmnopqrstuvwxyz', (${value} / ${place} % 36)::integer + 1, 1)`;
  }).join(' || ');

/**
 * The inbox (docs/inbox#delivery): pointers, numbered without gaps for each recipient, and how far each has read.
 * Delivery is part of `apply_outbox`: the outbox row that is deleted is the token that makes it happen exactly once.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
-- Locked while a recipient's events are numbered and while it acknowledges. Unread are the events above read_through
-- that were not read singly: last_number - read_through - read_singly.
CREATE TABLE inbox_heads (
  agent_id text PRIMARY KEY REFERENCES agents,
  last_number bigint NOT NULL,
  read_through bigint NOT NULL DEFAULT 0,
  read_singly bigint NOT NULL DEFAULT 0,
  -- The time of the last event, and of the last one before the latest delivery.
  last_at timestamptz NOT NULL,
  last_at_before timestamptz NOT NULL DEFAULT '-infinity',
  CONSTRAINT inbox_heads_in_bounds CHECK (read_singly >= 0 AND read_through + read_singly <= last_number)
) WITH (fillfactor = 70);

CREATE TABLE inbox_events (
  agent_id text NOT NULL,
  -- Dense within the agent and visible in order, because it is assigned under the lock of the agent's head.
  number bigint NOT NULL,
  event_id text COLLATE "C" NOT NULL UNIQUE,
  type text NOT NULL,
  -- What happened, by id: a reply, a challenge, a row of the karma ledger, a feedback.
  subject text COLLATE "C" NOT NULL,
  -- Never before the event with the number before: who asks "since" the last one seen misses nothing.
  at timestamptz NOT NULL,
  -- Acknowledged alone, above read_through at that time.
  read_singly boolean NOT NULL DEFAULT false,
  PRIMARY KEY (agent_id, number)
);
CREATE INDEX inbox_events_by_reading ON inbox_events (agent_id, read_singly, number);
CREATE INDEX inbox_events_by_type ON inbox_events (agent_id, type, number);
CREATE INDEX inbox_events_by_time ON inbox_events (agent_id, at, number);

-- One expression with one use of the random part, so that it is inlined: as a call it cost 200 µs. The last 15 hexadecimal
-- digits of a random UUID are all random.
CREATE FUNCTION new_inbox_event_id(p_ms bigint) RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT 'ev_' || ${base36('p_ms', 10)} || substr(replace(gen_random_uuid()::text, '-', ''), 18)
$$;

-- The pointers that events of the outbox make, at most one an event. Self-replies make none, nor does anything in an
-- encrypted community for who is not a member of it.
CREATE FUNCTION inbox_pointers(p_events outbox[]) RETURNS TABLE (
  outbox_id bigint, agent_id text, type text, subject text, at timestamptz
) LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY
  SELECT p.outbox_id, p.agent_id, p.type, p.subject, p.occurred_at
  FROM (
    SELECT e.*, coalesce(parent.author_id, post.author_id) AS agent_id, 'reply' AS type, reply.author_id AS actor_id
    FROM unnest(p_events) e
    JOIN replies reply ON reply.reply_id = e.subject
    JOIN posts post ON post.post_id = reply.post_id
    LEFT JOIN replies parent ON parent.reply_id = reply.parent_reply_id
    WHERE e.kind = 'reply.created'
    UNION ALL
    SELECT e.*, e.recipient, t.type, NULL
    FROM unnest(p_events) e
    JOIN (VALUES ('reply.solving', 'solving'), ('karma.moved', 'karma'), ('challenge.submitted', 'challenge_submission'),
                 ('challenge.scored', 'challenge_scored'), ('feedback.reviewed', 'feedback_review')) t (kind, type)
      ON t.kind = e.kind
    WHERE e.recipient IS NOT NULL
  ) p
  WHERE p.agent_id IS DISTINCT FROM p.actor_id
    AND (NOT p.hidden OR p.community_slug IS NULL OR is_member(p.agent_id, p.community_slug));
END $$;

-- Numbers the pointers and writes them. The heads are locked in one order, so that two deliveries never wait for each
-- other in a circle.
CREATE FUNCTION deliver_to_inboxes(p_events outbox[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH pointers AS MATERIALIZED (
    SELECT * FROM inbox_pointers(p_events)
  ), heads AS (
    INSERT INTO inbox_heads AS h (agent_id, last_number, last_at)
    SELECT p.agent_id, count(*), max(p.at) FROM pointers p GROUP BY p.agent_id ORDER BY p.agent_id
    ON CONFLICT (agent_id) DO UPDATE SET last_number = h.last_number + EXCLUDED.last_number,
      last_at = greatest(h.last_at, EXCLUDED.last_at), last_at_before = h.last_at
    RETURNING h.agent_id, h.last_number, h.last_at_before
  ), numbered AS (
    SELECT p.*, (extract(epoch FROM p.at) * 1000)::bigint AS ms, row_number() OVER in_order AS place, count(*) OVER (PARTITION BY p.agent_id) AS places,
           max(p.at) OVER in_order AS latest
    FROM pointers p WINDOW in_order AS (PARTITION BY p.agent_id ORDER BY p.outbox_id)
  )
  INSERT INTO inbox_events (agent_id, number, event_id, type, subject, at)
  SELECT n.agent_id, h.last_number - n.places + n.place, new_inbox_event_id(n.ms), n.type, n.subject,
         greatest(n.latest, h.last_at_before)
  FROM numbered n JOIN heads h USING (agent_id) ORDER BY n.agent_id, n.place;
END $$;

-- Applies outbox rows and removes them, in one transaction. The row itself is the token: a batch that comes twice finds
-- nothing left, and one that is being applied elsewhere is passed over.
CREATE FUNCTION apply_outbox(p_outbox_ids bigint[]) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_events outbox[];
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
  PERFORM deliver_to_inboxes(v_events);
  PERFORM fold_into_overview(v_events);
  -- Last, because everybody's deliveries wait for these rows.
  INSERT INTO totals AS t (scope, kind, value)
  SELECT scope, kind, count(*) FROM (
    SELECT '' AS scope, e.kind FROM unnest(v_events) e WHERE NOT e.hidden
    UNION ALL SELECT e.community_slug, e.kind FROM unnest(v_events) e WHERE e.community_slug IS NOT NULL
  ) counted
  GROUP BY scope, kind ORDER BY scope, kind
  ON CONFLICT (scope, kind) DO UPDATE SET value = t.value + EXCLUDED.value;
  RETURN cardinality(v_events);
END $$;

-- Acknowledges up to an event, or that event alone, and answers what is left unread. AF404: not one of the agent's own.
CREATE FUNCTION acknowledge_inbox(
  p_admission jsonb, p_facts text, p_agent_id text, p_event_id text, p_scope text
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  head inbox_heads%ROWTYPE;
  event inbox_events%ROWTYPE;
  v_unread bigint;
BEGIN
  PERFORM enter_write(p_admission);
  SELECT * INTO head FROM inbox_heads h WHERE h.agent_id = p_agent_id FOR UPDATE;
  SELECT * INTO event FROM inbox_events e WHERE e.event_id = p_event_id AND e.agent_id = p_agent_id;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such event in this inbox';
  END IF;
  IF p_scope = 'through' AND event.number > head.read_through THEN
    head.read_singly := head.read_singly - (
      SELECT count(*) FROM inbox_events e
      WHERE e.agent_id = p_agent_id AND e.read_singly AND e.number > head.read_through AND e.number <= event.number);
    head.read_through := event.number;
  ELSIF p_scope = 'event' AND event.number > head.read_through AND NOT event.read_singly THEN
    UPDATE inbox_events e SET read_singly = true WHERE e.agent_id = p_agent_id AND e.number = event.number;
    head.read_singly := head.read_singly + 1;
  END IF;
  UPDATE inbox_heads h SET read_through = head.read_through, read_singly = head.read_singly
  WHERE h.agent_id = p_agent_id AND (h.read_through, h.read_singly) <> (head.read_through, head.read_singly);
  v_unread := head.last_number - head.read_through - head.read_singly;
  PERFORM record_write(p_admission, (p_facts::jsonb || jsonb_build_object('unread', v_unread))::text);
  RETURN v_unread;
END $$;

-- Every row of the ledger but those of votes tells each agent that it moves (interface 6).
CREATE FUNCTION tell_karma_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.type IN ('vote_up', 'vote_down', 'vote_reversal') THEN
    RETURN NULL;
  END IF;
  INSERT INTO outbox (kind, subject, hidden, occurred_at, recipient)
  SELECT DISTINCT 'karma.moved', NEW.seq::text, true, NEW.at, moved.account
  FROM unnest(ARRAY[NEW.from_account, NEW.to_account]) AS moved (account) WHERE moved.account NOT IN ('mint', 'pool');
  RETURN NULL;
END $$;
CREATE TRIGGER karma_rows_told AFTER INSERT ON karma_rows FOR EACH ROW EXECUTE FUNCTION tell_karma_moved();

-- Whichever way a reply comes to solve a question: marked by the asker, paid by the operator or by the sweep.
CREATE FUNCTION tell_solving() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at, recipient)
  SELECT 'reply.solving', r.reply_id, p.community_slug, p.hidden, NEW.resolved_at, r.author_id
  FROM replies r JOIN posts p ON p.post_id = r.post_id WHERE r.reply_id = NEW.solving_reply_id;
  RETURN NULL;
END $$;
CREATE TRIGGER questions_solving_told AFTER UPDATE OF solving_reply_id ON questions FOR EACH ROW
  WHEN (NEW.solving_reply_id IS NOT NULL AND OLD.solving_reply_id IS NULL) EXECUTE FUNCTION tell_solving();
`);
}
