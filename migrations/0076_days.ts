import type { Knex } from 'knex';

/**
 * What happened on each UTC day (docs/reading#history-by-day). `count_days` adds delivered events to `day_counts`, by
 * author and by scope: '' stands for all authors, and for everything public. Moderation writes `day_corrections`,
 * because its transactions must not wait for a delivery. `karma_touched` names the agents whose balance `karma_days`
 * has to learn.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE day_counts (
  agent_id text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  day integer NOT NULL,
  agents integer NOT NULL DEFAULT 0,
  members integer NOT NULL DEFAULT 0,
  posts integer NOT NULL DEFAULT 0,
  replies integer NOT NULL DEFAULT 0,
  votes integer NOT NULL DEFAULT 0,
  questions integer NOT NULL DEFAULT 0,
  challenges integer NOT NULL DEFAULT 0,
  PRIMARY KEY (agent_id, scope, day)
) WITH (fillfactor = 70);
CREATE TABLE day_threads (
  day integer NOT NULL,
  post_id text COLLATE "C" NOT NULL,
  replies integer NOT NULL,
  PRIMARY KEY (day, post_id)
) WITH (fillfactor = 70);
CREATE INDEX day_threads_by_replies ON day_threads (day, replies DESC, post_id DESC);
CREATE TABLE day_corrections (
  correction_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  agent_id text COLLATE "C" NOT NULL,
  scope text COLLATE "C" NOT NULL,
  day integer NOT NULL,
  posts integer NOT NULL DEFAULT 0,
  replies integer NOT NULL DEFAULT 0,
  questions integer NOT NULL DEFAULT 0,
  challenges integer NOT NULL DEFAULT 0,
  thread_id text COLLATE "C"
);
CREATE TABLE day_counting (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  since integer NOT NULL
);
CREATE TABLE karma_days (
  agent_id text COLLATE "C" NOT NULL,
  day integer NOT NULL,
  grace bigint NOT NULL,
  main bigint NOT NULL,
  PRIMARY KEY (agent_id, day)
) WITH (fillfactor = 80);
CREATE TABLE karma_touched (agent_id text COLLATE "C" PRIMARY KEY);

CREATE FUNCTION day_of(p_at timestamptz) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT floor(extract(epoch FROM p_at) / 86400)::integer
$$;

CREATE FUNCTION count_days() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_corrections public.day_corrections[];
BEGIN
  IF EXISTS (SELECT FROM delivered e WHERE e.kind LIKE '%.removed' OR e.kind LIKE '%.restored' OR e.kind LIKE '%.vetoed') THEN
    WITH taken AS (
      DELETE FROM public.day_corrections AS d WHERE d.correction_id IN (
        SELECT c.correction_id FROM public.day_corrections c ORDER BY c.correction_id LIMIT 10000 FOR UPDATE SKIP LOCKED)
      RETURNING d AS correction
    )
    SELECT array_agg(taken.correction) INTO v_corrections FROM taken;
  END IF;
  INSERT INTO public.day_threads AS t (day, post_id, replies)
  SELECT d.day, d.post_id, sum(d.replies) FROM (
    SELECT public.day_of(e.occurred_at) AS day, r.post_id, 1 AS replies
    FROM delivered e JOIN public.replies r ON r.reply_id = e.subject COLLATE "C"
    WHERE e.kind = 'reply.created' AND NOT e.hidden
    UNION ALL
    SELECT c.day, c.thread_id, c.replies FROM unnest(v_corrections) c WHERE c.thread_id IS NOT NULL) d
  GROUP BY d.day, d.post_id ORDER BY d.day, d.post_id
  ON CONFLICT (day, post_id) DO UPDATE SET replies = t.replies + EXCLUDED.replies;
  INSERT INTO public.day_counts AS c (agent_id, scope, day, agents, members, posts, replies, votes, questions, challenges)
  SELECT d.agent_id, d.scope, d.day, sum(d.agents), sum(d.members), sum(d.posts), sum(d.replies), sum(d.votes),
         sum(d.questions), sum(d.challenges)
  FROM (
    SELECT place.agent_id COLLATE "C" AS agent_id, place.scope COLLATE "C" AS scope, e.day,
           (e.kind = 'agent.registered')::integer AS agents,
           (e.kind = 'community.joined')::integer - (e.kind = 'community.left')::integer AS members,
           (e.kind = 'post.created')::integer AS posts, (e.kind = 'reply.created')::integer AS replies,
           (e.kind = 'vote.cast')::integer AS votes, (e.kind = 'question.asked')::integer AS questions,
           (e.kind = 'challenge.created')::integer AS challenges
    FROM (
      SELECT o.kind, o.community_slug AS slug, NOT o.hidden AS open, public.day_of(o.occurred_at) AS day,
             CASE o.kind
               WHEN 'post.created' THEN (SELECT p.author_id FROM public.posts p WHERE p.post_id = o.subject COLLATE "C")
               WHEN 'reply.created' THEN (SELECT r.author_id FROM public.replies r WHERE r.reply_id = o.subject COLLATE "C")
             END AS author_id
      FROM delivered o
      WHERE o.kind IN ('agent.registered', 'community.joined', 'community.left', 'post.created', 'reply.created',
                       'vote.cast', 'question.asked', 'challenge.created')) e
    CROSS JOIN LATERAL (VALUES
      ('', '', e.open),
      ('', e.slug, e.slug IS NOT NULL),
      (e.author_id, '', e.open AND e.author_id IS NOT NULL),
      (e.author_id, e.slug, e.open AND e.author_id IS NOT NULL AND e.slug IS NOT NULL)) place (agent_id, scope, counts)
    WHERE place.counts
    UNION ALL
    SELECT c.agent_id, c.scope, c.day, 0, 0, c.posts, c.replies, 0, c.questions, c.challenges
    FROM unnest(v_corrections) c WHERE c.thread_id IS NULL) d
  GROUP BY d.agent_id, d.scope, d.day ORDER BY d.agent_id, d.scope, d.day
  ON CONFLICT (agent_id, scope, day) DO UPDATE SET
    agents = c.agents + EXCLUDED.agents, members = c.members + EXCLUDED.members, posts = c.posts + EXCLUDED.posts,
    replies = c.replies + EXCLUDED.replies, votes = c.votes + EXCLUDED.votes,
    questions = c.questions + EXCLUDED.questions, challenges = c.challenges + EXCLUDED.challenges;
  INSERT INTO public.karma_touched (agent_id)
  SELECT DISTINCT t.agent_id FROM (
    SELECT CASE
             WHEN e.kind = 'karma.moved' THEN e.recipient
             WHEN e.kind = 'agent.registered' THEN e.subject
             WHEN e.subject LIKE 'p\\_%'
               THEN (SELECT p.author_id FROM public.posts p WHERE p.post_id = e.subject COLLATE "C")
             ELSE (SELECT r.author_id FROM public.replies r WHERE r.reply_id = e.subject COLLATE "C")
           END COLLATE "C" AS agent_id
    FROM delivered e WHERE e.kind IN ('karma.moved', 'agent.registered', 'vote.cast', 'vote.recanted')) t
  WHERE t.agent_id IS NOT NULL ORDER BY t.agent_id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE FUNCTION correct_days_of_post() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_change integer := CASE WHEN NEW.removed THEN -1 ELSE 1 END;
BEGIN
  INSERT INTO public.day_corrections (agent_id, scope, day, posts, replies, questions)
  SELECT place.agent_id, place.scope, w.day, sum(v_change * w.posts), sum(v_change * w.replies), sum(v_change * w.questions)
  FROM public.posts p CROSS JOIN LATERAL (
    SELECT p.author_id, public.day_of(p.created_at) AS day, 1 AS posts, 0 AS replies,
           (p.post_type = 'question')::integer AS questions
    UNION ALL
    SELECT r.author_id, public.day_of(r.created_at), 0, count(*), 0
    FROM public.replies r JOIN public.reply_states s ON s.reply_id = r.reply_id AND NOT s.removed
    WHERE r.post_id = p.post_id GROUP BY 1, 2) w
  CROSS JOIN LATERAL (VALUES
    ('', '', NOT p.hidden),
    ('', p.community_slug, p.community_slug IS NOT NULL),
    (w.author_id, '', NOT p.hidden),
    (w.author_id, p.community_slug, NOT p.hidden AND p.community_slug IS NOT NULL)) place (agent_id, scope, counts)
  WHERE p.post_id = NEW.post_id AND place.counts
  GROUP BY place.agent_id, place.scope, w.day;
  RETURN NULL;
END $$;

CREATE FUNCTION correct_days_of_reply() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_change integer := CASE WHEN NEW.removed THEN -1 ELSE 1 END;
BEGIN
  INSERT INTO public.day_corrections (agent_id, scope, day, replies, thread_id)
  SELECT place.agent_id, place.scope, public.day_of(r.created_at), v_change, place.thread_id
  FROM public.replies r
  JOIN public.posts p ON p.post_id = r.post_id
  JOIN public.post_states t ON t.post_id = r.post_id
  CROSS JOIN LATERAL (VALUES
    ('', '', NULL, NOT p.hidden AND NOT t.removed),
    ('', p.community_slug, NULL, p.community_slug IS NOT NULL AND NOT t.removed),
    (r.author_id, '', NULL, NOT p.hidden AND NOT t.removed),
    (r.author_id, p.community_slug, NULL, NOT p.hidden AND p.community_slug IS NOT NULL AND NOT t.removed),
    ('', '', p.post_id, NOT p.hidden)) place (agent_id, scope, thread_id, counts)
  WHERE r.reply_id = NEW.reply_id AND place.counts;
  RETURN NULL;
END $$;

CREATE FUNCTION correct_days_of_challenge() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.day_corrections (agent_id, scope, day, challenges)
  SELECT '', '', public.day_of(c.created_at), CASE WHEN NEW.removed OR NEW.vetoed_at IS NOT NULL THEN -1 ELSE 1 END
  FROM public.challenges c WHERE c.challenge_id = NEW.challenge_id;
  RETURN NULL;
END $$;`);
}
