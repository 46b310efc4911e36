import type { Knex } from 'knex';

/**
 * What removes or restores a whole thread tells of each reply, because processes of the release before count the events
 * that they read. To add each to its slot by itself takes a version of the slot a reply, all of which the next one walks
 * over: so one event of each minute is counted for all of it, and the others not at all. And by the hour too, so that the sum
 * of the last day adds up some hours and the minutes of one, and not each minute of the day.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
-- As how many events of its kind this one counts; null: as one. For those of what was taken away or closed.
ALTER TABLE outbox ADD COLUMN counts integer;

-- What minute_corrections has, by the hour.
CREATE TABLE hour_corrections (
  scope text COLLATE "C" NOT NULL,
  hour bigint NOT NULL,
  slot integer NOT NULL,
  agents bigint NOT NULL DEFAULT 0,
  posts bigint NOT NULL DEFAULT 0,
  replies bigint NOT NULL DEFAULT 0,
  votes bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (scope, hour, slot)
) WITH (fillfactor = 70);
-- Nobody writes meanwhile: the outbox is locked.
INSERT INTO hour_corrections (scope, hour, slot, agents, posts, replies, votes)
SELECT scope, minute / 60, slot, sum(agents), sum(posts), sum(replies), sum(votes) FROM minute_corrections GROUP BY 1, 2, 3;

DROP FUNCTION correct_minute(text, integer, text, timestamptz, timestamptz);
-- Part of count_event: what is removed or restored leaves the minute and the hour in which it was written, or comes back.
CREATE FUNCTION correct_minute(
  p_scope text, p_slot integer, p_kind text, p_events integer, p_occurred_at timestamptz, p_written_at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_change integer := CASE WHEN p_kind IN ('post.removed', 'reply.removed') THEN -p_events
                           WHEN p_kind IN ('post.restored', 'reply.restored') THEN p_events ELSE 0 END;
  v_posts integer := CASE WHEN p_kind LIKE 'post.%' THEN v_change ELSE 0 END;
  v_replies integer := v_change - v_posts;
  v_minute bigint := floor(date_part('epoch', p_written_at) / 60);
  v_scope text COLLATE "C" := p_scope;
BEGIN
  IF v_change <> 0 AND p_written_at > p_occurred_at - interval '1500 minutes' THEN
    INSERT INTO minute_corrections AS c (scope, minute, slot, posts, replies)
    VALUES (v_scope, v_minute, p_slot, v_posts, v_replies)
    ON CONFLICT (scope, minute, slot) DO UPDATE SET
      posts = c.posts + EXCLUDED.posts, replies = c.replies + EXCLUDED.replies;
    INSERT INTO hour_corrections AS c (scope, hour, slot, posts, replies)
    VALUES (v_scope, v_minute / 60, p_slot, v_posts, v_replies)
    ON CONFLICT (scope, hour, slot) DO UPDATE SET
      posts = c.posts + EXCLUDED.posts, replies = c.replies + EXCLUDED.replies;
    -- By the clock of the database too: that of a writer may be ahead.
    DELETE FROM hour_corrections c WHERE c.scope = v_scope AND c.slot = p_slot
      AND c.hour < date_part('epoch', least(p_occurred_at, clock_timestamp()) - interval '1500 minutes')::bigint / 3600;
  END IF;
END $$;

-- A slot is whose transaction got it: nobody waits while one of 64 is free, so no two wait for each other, and there are
-- no more than were ever needed at once. Each write pays for each expression here, so the usual kinds name their own.
CREATE OR REPLACE FUNCTION count_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_scope text COLLATE "C";
  v_slot integer;
  v_second bigint := floor(date_part('epoch', NEW.occurred_at));
  v_place bigint;
  v_events integer := coalesce(NEW.counts, 1);
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
      IF NEW.kind = 'vote.cast' THEN ${grow('1', 'votes_cast = s.votes_cast + 1')}
      ELSIF NEW.kind = 'reply.created' THEN ${grow('1', 'replies = s.replies + 1, replies_written = s.replies_written + 1')}
      ELSIF NEW.kind = 'post.created' THEN ${grow('1', 'posts = s.posts + 1, posts_written = s.posts_written + 1')}
      ELSE ${grow(
        'v_events',
        `
          agents = s.agents + (NEW.kind = 'agent.registered')::integer,
          members = s.members + (NEW.kind = 'community.joined')::integer,
          posts = s.posts + v_events * ((NEW.kind = 'post.restored')::integer - (NEW.kind = 'post.removed')::integer),
          replies = s.replies + v_events * ((NEW.kind = 'reply.restored')::integer - (NEW.kind = 'reply.removed')::integer),
          open_questions = s.open_questions + (NEW.kind = 'question.asked')::integer
                           - v_events * (NEW.kind = 'question.resolved')::integer`,
      )}
      END IF;
      EXIT WHEN FOUND;
      v_place := begin_second(v_scope, v_slot, v_second, NEW.kind);
    END LOOP;
    IF NEW.written_at IS NOT NULL THEN
      PERFORM correct_minute(v_scope, v_slot, NEW.kind, v_events, NEW.occurred_at, NEW.written_at);
    END IF;
  END LOOP;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER outbox_counted BEFORE INSERT ON outbox FOR EACH ROW
  WHEN (NEW.counts IS DISTINCT FROM 0 AND (NOT NEW.hidden OR NEW.community_slug IS NOT NULL)) EXECUTE FUNCTION count_event();
`);
}

/** Adds so many events to the slot of their scope, if they are in the second of it. */
const grow = (events: string, changes: string): string => `
          UPDATE scope_slots s SET
            place = s.place + ((s.version + ${events}) / 1024 > s.version / 1024)::integer, version = s.version + ${events},
            ${changes}
          WHERE s.scope = v_scope AND s.slot = v_slot AND s.place = v_place
            AND (s.minute = v_second / 60 OR v_place > v_second);`;
