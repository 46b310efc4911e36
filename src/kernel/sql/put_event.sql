-- Puts one event into the outbox and counts it where it happened (docs/agents#pulse): in its community, and in everything
-- public unless it is hidden. It is added to a slot of that scope that nobody is adding to, and to the second in which it
-- happened. p_events: for how many like it, none or more, it counts; p_written_at: when what is removed or restored was
-- written. Answers in how many scopes it counts. The trigger `outbox_counted` does the same for processes of the release
-- before, and nothing of what has counts 0.
CREATE FUNCTION release.put_event(
  p_kind text, p_subject text, p_community_slug text, p_hidden boolean, p_at timestamptz, p_recipient text DEFAULT NULL,
  p_request_id text DEFAULT NULL, p_trace_id text DEFAULT NULL, p_written_at timestamptz DEFAULT NULL,
  p_events integer DEFAULT 1
) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_scopes text[] COLLATE "C" := CASE WHEN p_events = 0 THEN ARRAY[]::text[]
                                      WHEN p_hidden THEN array_remove(ARRAY[p_community_slug], NULL)
                                      ELSE array_remove(ARRAY['', p_community_slug], NULL) END;
  v_scope text COLLATE "C";
  v_slot integer;
  v_second bigint := floor(date_part('epoch', p_at));
  v_place bigint;
BEGIN
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at, written_at, recipient, request_id, trace_id, counts)
  VALUES (p_kind, p_subject, p_community_slug, p_hidden, p_at, p_written_at, p_recipient, p_request_id, p_trace_id, 0);
  FOREACH v_scope IN ARRAY v_scopes LOOP
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
      -- What there are most of has a statement of its own, which sets few columns.
      IF p_kind = 'vote.cast' THEN
        UPDATE scope_slots s SET
          place = s.place + ((s.version + 1) / 1024 > s.version / 1024)::integer, version = s.version + 1,
          votes_cast = s.votes_cast + 1
        WHERE s.scope = v_scope AND s.slot = v_slot AND s.place = v_place
          AND (s.minute = v_second / 60 OR v_place > v_second);
      ELSIF p_kind = 'reply.created' THEN
        UPDATE scope_slots s SET
          place = s.place + ((s.version + 1) / 1024 > s.version / 1024)::integer, version = s.version + 1,
          replies = s.replies + 1, replies_written = s.replies_written + 1
        WHERE s.scope = v_scope AND s.slot = v_slot AND s.place = v_place
          AND (s.minute = v_second / 60 OR v_place > v_second);
      ELSIF p_kind = 'post.created' THEN
        UPDATE scope_slots s SET
          place = s.place + ((s.version + 1) / 1024 > s.version / 1024)::integer, version = s.version + 1,
          posts = s.posts + 1, posts_written = s.posts_written + 1
        WHERE s.scope = v_scope AND s.slot = v_slot AND s.place = v_place
          AND (s.minute = v_second / 60 OR v_place > v_second);
      ELSE
        UPDATE scope_slots s SET
          place = s.place + ((s.version + p_events) / 1024 > s.version / 1024)::integer, version = s.version + p_events,
          agents = s.agents + (p_kind = 'agent.registered')::integer,
          members = s.members + (p_kind = 'community.joined')::integer - (p_kind = 'community.left')::integer,
          posts = s.posts + p_events * ((p_kind = 'post.restored')::integer - (p_kind = 'post.removed')::integer),
          replies = s.replies + p_events * ((p_kind = 'reply.restored')::integer - (p_kind = 'reply.removed')::integer),
          open_questions = s.open_questions + (p_kind = 'question.asked')::integer
                           - p_events * (p_kind = 'question.resolved')::integer
        WHERE s.scope = v_scope AND s.slot = v_slot AND s.place = v_place
          AND (s.minute = v_second / 60 OR v_place > v_second);
      END IF;
      EXIT WHEN FOUND;
      v_place := begin_second(v_scope, v_slot, v_second, p_kind);
    END LOOP;
    IF p_written_at IS NOT NULL THEN
      PERFORM correct_minute(v_scope, v_slot, p_kind, p_events, p_at, p_written_at);
    END IF;
  END LOOP;
  RETURN cardinality(v_scopes);
END $$;
