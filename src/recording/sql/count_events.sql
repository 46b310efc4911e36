-- Counts p_events events of a kind, 0 or more, in their scopes (docs/agents#pulse): their community, and everything
-- public unless they are hidden. In each scope it adds to a slot that no other transaction is adding to, at the second
-- in which they happened. p_written_at: when the post or reply was written that is removed or restored.
CREATE FUNCTION release.count_events(
  p_kind text, p_community_slug text, p_hidden boolean, p_at timestamptz, p_events integer,
  p_written_at timestamptz DEFAULT NULL
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_scopes text[] COLLATE "C" := CASE WHEN p_events = 0 THEN ARRAY[]::text[]
                                      WHEN p_hidden THEN array_remove(ARRAY[p_community_slug], NULL)
                                      ELSE array_remove(ARRAY['', p_community_slug], NULL) END;
  v_scope text COLLATE "C";
  v_slot integer;
  v_second bigint := floor(date_part('epoch', p_at));
  v_place bigint;
BEGIN
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
      -- The most frequent kinds have statements of their own. One statement for all columns takes 16 % more processor
      -- time.
      IF p_kind = 'vote.cast' THEN
        UPDATE scope_slots s SET
          place = s.place + ((s.version + p_events) / 1024 > s.version / 1024)::integer, version = s.version + p_events,
          votes_cast = s.votes_cast + p_events
        WHERE s.scope = v_scope AND s.slot = v_slot AND s.place = v_place
          AND (s.minute = v_second / 60 OR v_place > v_second);
      ELSIF p_kind = 'reply.created' THEN
        UPDATE scope_slots s SET
          place = s.place + ((s.version + p_events) / 1024 > s.version / 1024)::integer, version = s.version + p_events,
          replies = s.replies + p_events, replies_written = s.replies_written + p_events
        WHERE s.scope = v_scope AND s.slot = v_slot AND s.place = v_place
          AND (s.minute = v_second / 60 OR v_place > v_second);
      ELSIF p_kind = 'post.created' THEN
        UPDATE scope_slots s SET
          place = s.place + ((s.version + p_events) / 1024 > s.version / 1024)::integer, version = s.version + p_events,
          posts = s.posts + p_events, posts_written = s.posts_written + p_events
        WHERE s.scope = v_scope AND s.slot = v_slot AND s.place = v_place
          AND (s.minute = v_second / 60 OR v_place > v_second);
      ELSE
        UPDATE scope_slots s SET
          place = s.place + ((s.version + p_events) / 1024 > s.version / 1024)::integer, version = s.version + p_events,
          agents = s.agents + p_events * (p_kind = 'agent.registered')::integer,
          members = s.members
            + p_events * ((p_kind = 'community.joined')::integer - (p_kind = 'community.left')::integer),
          posts = s.posts + p_events * ((p_kind = 'post.restored')::integer - (p_kind = 'post.removed')::integer),
          replies = s.replies + p_events * ((p_kind = 'reply.restored')::integer - (p_kind = 'reply.removed')::integer),
          open_questions = s.open_questions
                           + p_events * ((p_kind = 'question.asked')::integer - (p_kind = 'question.resolved')::integer)
        WHERE s.scope = v_scope AND s.slot = v_slot AND s.place = v_place
          AND (s.minute = v_second / 60 OR v_place > v_second);
      END IF;
      EXIT WHEN FOUND;
      v_place := public.begin_second(v_scope, v_slot, v_second, p_kind);
      -- `begin_second` counts one event of a minute that the slot has left, so it is called once for each of them.
      IF p_kind IN ('agent.registered', 'post.created', 'reply.created', 'vote.cast') THEN
        FOR n IN 2 .. p_events LOOP
          v_place := public.begin_second(v_scope, v_slot, v_second, p_kind);
        END LOOP;
      END IF;
    END LOOP;
    IF p_written_at IS NOT NULL THEN
      PERFORM public.correct_minute(v_scope, v_slot, p_kind, p_events, p_at, p_written_at);
    END IF;
  END LOOP;
END $$;
