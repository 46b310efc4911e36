import type { Knex } from 'knex';

/** Adds an event to the slot of its scope, if that is in the second of it. */
const grow = (changes: string): string => `
          UPDATE scope_slots s SET
            place = s.place + (s.version % 1024 = 1023)::integer, version = s.version + 1, ${changes}
          WHERE s.scope = v_scope AND s.slot = v_slot AND s.place = v_place
            AND (s.minute = v_second / 60 OR v_place > v_second);`;

/**
 * Counts that are written with the event instead of being summed over the queue by who reads: they cost the same whether
 * a worker runs, is gone or is behind, and however old the oldest open snapshot is. A trigger counts, because processes of
 * the release before write the same events; they go on reading `totals` and the outbox, which workers go on folding.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
-- What has happened in a scope ever: a community's slug, or empty for the public whole. The sum is spread over slots, one
-- row each, as many as there were writers at once. A row goes to a later place of the index each second and every 1024
-- events: who looks for it at the end walks over few of its versions, and not over all that an old snapshot keeps.
CREATE TABLE scope_slots (
  scope text COLLATE "C" NOT NULL,
  slot integer NOT NULL,
  -- The second of the newest event in it, since 1970, or later.
  place bigint NOT NULL,
  -- The minute of the newest event in it.
  minute bigint NOT NULL,
  -- How many events: the version of the scope.
  version bigint NOT NULL DEFAULT 0,
  agents bigint NOT NULL DEFAULT 0,
  members bigint NOT NULL DEFAULT 0,
  -- That stand: written, less removed, plus restored.
  posts bigint NOT NULL DEFAULT 0,
  replies bigint NOT NULL DEFAULT 0,
  open_questions bigint NOT NULL DEFAULT 0,
  -- That were ever written, and votes that were ever cast.
  posts_written bigint NOT NULL DEFAULT 0,
  replies_written bigint NOT NULL DEFAULT 0,
  votes_cast bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (scope, slot, place)
) WITH (fillfactor = 20, vacuum_truncate = off, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
-- Empty pages, which stay: of a table of one page the planner makes a sequential scan, which a session keeps while the
-- table grows under an old snapshot.
INSERT INTO scope_slots (scope, slot, place, minute) SELECT 'room', n, 0, 0 FROM generate_series(1, 300) n;
DELETE FROM scope_slots;

-- What a slot held at the end of a minute, for minutes in which it grew; the last day is a difference of two such sums.
CREATE TABLE slot_minutes (
  scope text COLLATE "C" NOT NULL,
  slot integer NOT NULL,
  minute bigint NOT NULL,
  agents bigint NOT NULL DEFAULT 0,
  posts bigint NOT NULL DEFAULT 0,
  replies bigint NOT NULL DEFAULT 0,
  votes bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (scope, slot, minute)
);
-- What was removed or restored, by the minute in which it was written, as the last day counts it. By slot too, so that
-- writers do not meet.
CREATE TABLE minute_corrections (
  scope text COLLATE "C" NOT NULL,
  minute bigint NOT NULL,
  slot integer NOT NULL,
  agents bigint NOT NULL DEFAULT 0,
  posts bigint NOT NULL DEFAULT 0,
  replies bigint NOT NULL DEFAULT 0,
  votes bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (scope, minute, slot)
) WITH (fillfactor = 70);

-- A slot is whose transaction got it: nobody waits while one of 64 is free, so no two wait for each other, and there are
-- no more than were ever needed at once. Each write pays for each expression here, so the usual kinds name their own.
CREATE FUNCTION count_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_scope text COLLATE "C";
  v_slot integer;
  v_second bigint := floor(date_part('epoch', NEW.occurred_at));
  v_place bigint;
BEGIN
  FOREACH v_scope IN ARRAY CASE WHEN NEW.hidden THEN ARRAY[NEW.community_slug]
                                WHEN NEW.community_slug IS NULL THEN ARRAY['']
                                ELSE ARRAY['', NEW.community_slug] END
  LOOP
    v_slot := 0;
    WHILE NOT pg_try_advisory_xact_lock(hashtextextended(v_scope, v_slot)) LOOP
      v_slot := v_slot + 1;
      IF v_slot = 64 THEN
        v_slot := pg_backend_pid() % 64;
        PERFORM pg_advisory_xact_lock(hashtextextended(v_scope, v_slot));
        EXIT;
      END IF;
    END LOOP;
    v_place := v_second;
    LOOP
      IF NEW.kind = 'vote.cast' THEN ${grow('votes_cast = s.votes_cast + 1')}
      ELSIF NEW.kind = 'reply.created' THEN ${grow('replies = s.replies + 1, replies_written = s.replies_written + 1')}
      ELSIF NEW.kind = 'post.created' THEN ${grow('posts = s.posts + 1, posts_written = s.posts_written + 1')}
      ELSE ${grow(`
          agents = s.agents + (NEW.kind = 'agent.registered')::integer,
          members = s.members + (NEW.kind = 'community.joined')::integer,
          posts = s.posts + (NEW.kind = 'post.restored')::integer - (NEW.kind = 'post.removed')::integer,
          replies = s.replies + (NEW.kind = 'reply.restored')::integer - (NEW.kind = 'reply.removed')::integer,
          open_questions = s.open_questions + (NEW.kind = 'question.asked')::integer
                           - (NEW.kind = 'question.resolved')::integer`)}
      END IF;
      EXIT WHEN FOUND;
      v_place := begin_second(v_scope, v_slot, v_second, NEW.kind);
    END LOOP;
    IF NEW.written_at IS NOT NULL THEN
      PERFORM correct_minute(v_scope, v_slot, NEW.kind, NEW.occurred_at, NEW.written_at);
    END IF;
  END LOOP;
  RETURN NEW;
END $$;

-- Part of count_event: brings a slot to the second of an event, unless it is later already, and answers its place.
CREATE FUNCTION begin_second(p_scope text, p_slot integer, p_second bigint, p_kind text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  v_scope text COLLATE "C" := p_scope;
  v_minute bigint := p_second / 60;
  -- By the clock of the database too: that of a writer may be ahead.
  v_forgotten bigint := least(p_second, date_part('epoch', clock_timestamp())::bigint) / 60 - 1500;
  v_last RECORD;
BEGIN
  SELECT s.ctid, s.place, s.minute, s.agents, s.posts_written, s.replies_written, s.votes_cast INTO v_last
  FROM scope_slots s WHERE s.scope = v_scope AND s.slot = p_slot ORDER BY s.place DESC LIMIT 1;
  IF NOT FOUND THEN
    INSERT INTO scope_slots (scope, slot, place, minute) VALUES (v_scope, p_slot, p_second, v_minute);
    RETURN p_second;
  END IF;
  IF v_last.place < p_second OR v_last.minute < v_minute THEN
    UPDATE scope_slots s SET place = greatest(s.place, p_second), minute = greatest(s.minute, v_minute)
    WHERE s.ctid = v_last.ctid;
  END IF;
  IF v_last.minute < v_minute THEN
    INSERT INTO slot_minutes (scope, slot, minute, agents, posts, replies, votes)
    VALUES (v_scope, p_slot, v_last.minute, v_last.agents, v_last.posts_written, v_last.replies_written, v_last.votes_cast);
    -- Of what the last day does not need, the newest is where it begins.
    DELETE FROM slot_minutes m WHERE m.scope = v_scope AND m.slot = p_slot AND m.minute < (
      SELECT n.minute FROM slot_minutes n WHERE n.scope = v_scope AND n.slot = p_slot AND n.minute <= v_forgotten
      ORDER BY n.minute DESC LIMIT 1);
    DELETE FROM minute_corrections c WHERE c.scope = v_scope AND c.minute <= v_forgotten AND c.slot = p_slot;
  ELSIF v_last.minute > v_minute THEN
    PERFORM count_late(v_scope, p_slot, v_minute, p_kind);
  END IF;
  RETURN greatest(v_last.place, p_second);
END $$;

-- Part of count_event: an event of a minute that its slot has left counts at the end of that one and of all since.
CREATE FUNCTION count_late(p_scope text, p_slot integer, p_minute bigint, p_kind text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_scope text COLLATE "C" := p_scope;
BEGIN
  INSERT INTO slot_minutes (scope, slot, minute, agents, posts, replies, votes)
  SELECT v_scope, p_slot, p_minute, coalesce(b.agents, 0), coalesce(b.posts, 0), coalesce(b.replies, 0), coalesce(b.votes, 0)
  FROM (SELECT) one LEFT JOIN LATERAL (
    SELECT m.agents, m.posts, m.replies, m.votes FROM slot_minutes m
    WHERE m.scope = v_scope AND m.slot = p_slot AND m.minute < p_minute ORDER BY m.minute DESC LIMIT 1) b ON true
  ON CONFLICT DO NOTHING;
  UPDATE slot_minutes m SET
    agents = m.agents + (p_kind = 'agent.registered')::integer, posts = m.posts + (p_kind = 'post.created')::integer,
    replies = m.replies + (p_kind = 'reply.created')::integer, votes = m.votes + (p_kind = 'vote.cast')::integer
  WHERE m.scope = v_scope AND m.slot = p_slot AND m.minute >= p_minute;
END $$;

-- Part of count_event: what is removed or restored leaves the minute in which it was written, or comes back to it.
CREATE FUNCTION correct_minute(
  p_scope text, p_slot integer, p_kind text, p_occurred_at timestamptz, p_written_at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_change integer := CASE WHEN p_kind IN ('post.removed', 'reply.removed') THEN -1
                           WHEN p_kind IN ('post.restored', 'reply.restored') THEN 1 ELSE 0 END;
BEGIN
  IF v_change <> 0 AND p_written_at > p_occurred_at - interval '1500 minutes' THEN
    INSERT INTO minute_corrections AS c (scope, minute, slot, posts, replies)
    VALUES (p_scope, floor(date_part('epoch', p_written_at) / 60), p_slot,
            CASE WHEN p_kind LIKE 'post.%' THEN v_change ELSE 0 END,
            CASE WHEN p_kind LIKE 'reply.%' THEN v_change ELSE 0 END)
    ON CONFLICT (scope, minute, slot) DO UPDATE SET
      posts = c.posts + EXCLUDED.posts, replies = c.replies + EXCLUDED.replies;
  END IF;
END $$;

-- What processes of the release before have begun is waited for, what they begin waits; deliveries too, so that an event
-- is in the outbox or in the totals.
LOCK TABLE outbox IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO scope_slots (scope, slot, place, minute, version, agents, members, posts, replies, open_questions, posts_written,
                         replies_written, votes_cast)
SELECT e.scope, 0, 0, 0, sum(e.value),
       coalesce(sum(e.value) FILTER (WHERE e.kind = 'agent.registered'), 0),
       coalesce(sum(e.value) FILTER (WHERE e.kind = 'community.joined'), 0),
       coalesce(sum(CASE e.kind WHEN 'post.removed' THEN -e.value ELSE e.value END)
         FILTER (WHERE e.kind IN ('post.created', 'post.removed', 'post.restored')), 0),
       coalesce(sum(CASE e.kind WHEN 'reply.removed' THEN -e.value ELSE e.value END)
         FILTER (WHERE e.kind IN ('reply.created', 'reply.removed', 'reply.restored')), 0),
       coalesce(sum(CASE e.kind WHEN 'question.resolved' THEN -e.value ELSE e.value END)
         FILTER (WHERE e.kind IN ('question.asked', 'question.resolved')), 0),
       coalesce(sum(e.value) FILTER (WHERE e.kind = 'post.created'), 0),
       coalesce(sum(e.value) FILTER (WHERE e.kind = 'reply.created'), 0),
       coalesce(sum(e.value) FILTER (WHERE e.kind = 'vote.cast'), 0)
FROM (
  SELECT scope, kind, value FROM totals
  UNION ALL SELECT '', kind, 1 FROM outbox WHERE NOT hidden
  UNION ALL SELECT community_slug, kind, 1 FROM outbox WHERE community_slug IS NOT NULL
) e (scope, kind, value)
GROUP BY e.scope;
-- The last day of before, whole: those sums have no minutes.
INSERT INTO minute_corrections (scope, minute, slot, agents, posts, replies, votes)
SELECT e.scope, e.minute, 0, coalesce(sum(e.value) FILTER (WHERE e.noun = 'agent'), 0),
       coalesce(sum(e.value) FILTER (WHERE e.noun = 'post'), 0), coalesce(sum(e.value) FILTER (WHERE e.noun = 'reply'), 0),
       coalesce(sum(e.value) FILTER (WHERE e.noun = 'vote'), 0)
FROM (
  SELECT scope, kind, minute, value FROM minute_counts
  UNION ALL
  SELECT s.scope, c.kind, floor(date_part('epoch', coalesce(o.written_at, o.occurred_at)) / 60), c.value
  FROM outbox o JOIN counted_events c ON c.event = o.kind
  CROSS JOIN LATERAL (SELECT '' WHERE NOT o.hidden
                      UNION ALL SELECT o.community_slug WHERE o.community_slug IS NOT NULL) s (scope)
) e (scope, noun, minute, value)
WHERE e.minute > floor(date_part('epoch', clock_timestamp()) / 60) - 1500
GROUP BY e.scope, e.minute;
CREATE TRIGGER outbox_counted BEFORE INSERT ON outbox FOR EACH ROW
  WHEN (NOT NEW.hidden OR NEW.community_slug IS NOT NULL) EXECUTE FUNCTION count_event();
`);
}
