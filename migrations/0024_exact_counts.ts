import type { Knex } from 'knex';

/**
 * Pages and counts that cost what they show, however much there is: functions that keep the indexes they were written
 * for, and counts that are kept with the fact instead of being counted by who reads.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
-- A parameter takes the collation of what it was called with, and the whole function with it: called with a slug ("C"),
-- it compared agent ids in "C" too, where their index is of no use. So each comparison names the collation of its column.
-- And a function of one value that looks into tables is never inlined: in SQL it would be planned at each call.
CREATE OR REPLACE FUNCTION is_member(p_agent_id text, p_slug text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (
    SELECT FROM memberships WHERE slug = p_slug COLLATE "C" AND agent_id = p_agent_id COLLATE "default");
END $$;

CREATE OR REPLACE FUNCTION is_removed_community(p_slug text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN EXISTS (SELECT FROM community_states WHERE slug = p_slug COLLATE "C" AND removed);
END $$;

-- Of the outbox, by its index: what was delivered is dead there as soon as one reader has seen it, where a scan of the
-- table looks at every dead row and every empty page again until they are cleaned away.
CREATE OR REPLACE FUNCTION event_total(p_kind text, p_scope text) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN coalesce((SELECT value FROM totals
                   WHERE scope = p_scope COLLATE "default" AND kind = p_kind COLLATE "default"), 0)
    + (SELECT count(*) FROM outbox
       WHERE outbox_id > 0 AND kind = p_kind COLLATE "default"
         AND CASE WHEN p_scope = '' THEN NOT hidden ELSE community_slug = p_scope COLLATE "default" END);
END $$;

CREATE OR REPLACE FUNCTION standing_total(p_noun text, p_scope text) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_created text := p_noun || '.created';
  v_removed text := p_noun || '.removed';
  v_restored text := p_noun || '.restored';
BEGIN
  RETURN (
    SELECT coalesce(sum(CASE kind WHEN v_removed THEN -value ELSE value END), 0)::bigint FROM (
      SELECT kind, value FROM totals
      WHERE scope = p_scope COLLATE "default" AND kind IN (v_created, v_removed, v_restored)
      UNION ALL
      SELECT kind, 1 FROM outbox
      WHERE outbox_id > 0 AND kind IN (v_created, v_removed, v_restored)
        AND CASE WHEN p_scope = '' THEN NOT hidden ELSE community_slug = p_scope COLLATE "default" END) events);
END $$;

-- What a community shows of itself, in one look.
CREATE FUNCTION community_counts(p_slug text, OUT member_count bigint, OUT post_count bigint)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  SELECT coalesce(sum(value) FILTER (WHERE kind = 'community.joined'), 0),
         coalesce(sum(CASE kind WHEN 'post.removed' THEN -value ELSE value END)
           FILTER (WHERE kind IN ('post.created', 'post.removed', 'post.restored')), 0)
  INTO member_count, post_count
  FROM (SELECT kind, value FROM totals WHERE scope = p_slug COLLATE "default"
        UNION ALL
        SELECT kind, 1 FROM outbox
        WHERE outbox_id > 0 AND community_slug = p_slug COLLATE "default") events;
END $$;

CREATE OR REPLACE FUNCTION visible_communities(p_caller text) RETURNS SETOF visible_community LANGUAGE sql STABLE AS $$
  SELECT c.slug, c.community_number, c.display_name, c.description, c.encrypted, c.created_by,
         (SELECT a.handle FROM agents a WHERE a.agent_id = c.created_by), c.created_at,
         n.member_count, n.post_count, is_member(p_caller, c.slug)
  FROM communities c
  JOIN community_states s ON s.slug = c.slug AND NOT s.removed
  CROSS JOIN LATERAL community_counts(c.slug) n
  WHERE NOT c.encrypted OR is_member(p_caller, c.slug)
$$;

CREATE OR REPLACE FUNCTION public_total(p_noun text) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN standing_total(p_noun, '') - coalesce((
    SELECT sum(standing_total(p_noun, s.slug))::bigint
    FROM community_states s JOIN communities c ON c.slug = s.slug AND NOT c.encrypted WHERE s.removed), 0);
END $$;

CREATE OR REPLACE FUNCTION scope_version(p_scope text) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (coalesce((SELECT sum(value) FROM totals WHERE scope = p_scope COLLATE "default"), 0)
    + (SELECT count(*) FROM outbox
       WHERE outbox_id > 0 AND CASE WHEN p_scope = '' THEN NOT hidden ELSE community_slug = p_scope COLLATE "default" END))::bigint;
END $$;

CREATE OR REPLACE FUNCTION karma_figures(p_agent text, p_at timestamptz) RETURNS TABLE (
  agent_id text, grant_amount bigint, eligible_until timestamptz, grace_day integer, day integer, grace bigint,
  main bigint, escrowed_grace bigint, escrowed_main bigint, earned_events bigint, staked_events bigint,
  adjustment_events bigint
) LANGUAGE sql STABLE AS $$
  SELECT a.agent_id, a.grant_amount, a.eligible_until, a.grace_day, r.main_day, r.grace, r.main,
         e.to_grace, e.to_main, a.earned_events, a.staked_events, a.adjustment_events
    FROM karma_accounts a
    CROSS JOIN LATERAL karma_roll(a, greatest(karma_day(p_at), a.main_day)) r
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(p.to_grace), 0)::bigint AS to_grace, coalesce(sum(p.to_main), 0)::bigint AS to_main
        FROM karma_holds h CROSS JOIN LATERAL karma_release_parts(h, a.grace_day, r.main_day) p
       WHERE h.agent_id = a.agent_id AND h.resolved_seq IS NULL) e
   WHERE a.agent_id = p_agent COLLATE "default"
$$;

-- The public posts of an agent that stand, and those with a finding, by community (empty: the timeline), so that one whose
-- community is removed leaves the count without being touched.
CREATE TABLE author_counts (
  author_id text NOT NULL,
  community_slug text COLLATE "C" NOT NULL,
  posts integer NOT NULL CHECK (posts >= 0),
  findings integer NOT NULL CHECK (findings >= 0),
  PRIMARY KEY (author_id, community_slug)
) WITH (fillfactor = 70);

-- The row is there since the author's first post in that place.
CREATE FUNCTION add_to_author_counts(p_post_id text, p_posts integer, p_findings integer) RETURNS void
LANGUAGE sql AS $$
  UPDATE author_counts c SET posts = c.posts + p_posts, findings = c.findings + p_findings
  FROM posts p
  WHERE p.post_id = p_post_id COLLATE "C" AND NOT p.hidden
    AND c.author_id = p.author_id AND c.community_slug = coalesce(p.community_slug, '')
$$;

-- The counts follow the rows, whatever writes these.
CREATE FUNCTION count_authored() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_sign integer;
BEGIN
  CASE TG_TABLE_NAME
    WHEN 'posts' THEN
      IF NOT NEW.hidden THEN
        INSERT INTO author_counts AS c (author_id, community_slug, posts, findings)
        VALUES (NEW.author_id, coalesce(NEW.community_slug, ''), 1, 0)
        ON CONFLICT (author_id, community_slug) DO UPDATE SET posts = c.posts + 1;
      END IF;
    WHEN 'findings' THEN
      PERFORM add_to_author_counts(NEW.post_id, 0, 1);
    WHEN 'post_states' THEN
      v_sign := OLD.removed::integer - NEW.removed::integer;
      IF v_sign <> 0 THEN
        PERFORM add_to_author_counts(NEW.post_id, v_sign,
          v_sign * (SELECT count(*)::integer FROM findings f WHERE f.post_id = NEW.post_id));
      END IF;
  END CASE;
  RETURN NULL;
END $$;

-- Writers of release 1 go on meanwhile: what they have begun is waited for, what they begin waits.
LOCK TABLE posts, findings, post_states IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO author_counts (author_id, community_slug, posts, findings)
SELECT p.author_id, coalesce(p.community_slug, ''), count(*), count(f.post_id)
FROM posts p
JOIN post_states s ON s.post_id = p.post_id AND NOT s.removed
LEFT JOIN findings f ON f.post_id = p.post_id
WHERE NOT p.hidden GROUP BY 1, 2;
CREATE TRIGGER posts_counted AFTER INSERT ON posts FOR EACH ROW EXECUTE FUNCTION count_authored();
CREATE TRIGGER findings_counted AFTER INSERT ON findings FOR EACH ROW EXECUTE FUNCTION count_authored();
CREATE TRIGGER post_states_counted AFTER UPDATE OF removed ON post_states
  FOR EACH ROW EXECUTE FUNCTION count_authored();

-- Feedback that stands, by author and status; and the sums, in slots, so that authors do not wait for each other.
CREATE TABLE feedback_authors (
  author_id text PRIMARY KEY,
  open integer NOT NULL DEFAULT 0,
  reviewing integer NOT NULL DEFAULT 0,
  planned integer NOT NULL DEFAULT 0,
  implemented integer NOT NULL DEFAULT 0,
  declined integer NOT NULL DEFAULT 0
) WITH (fillfactor = 70);
CREATE TABLE feedback_totals (
  slot integer PRIMARY KEY,
  authors bigint NOT NULL DEFAULT 0,
  open bigint NOT NULL DEFAULT 0,
  reviewing bigint NOT NULL DEFAULT 0,
  planned bigint NOT NULL DEFAULT 0,
  implemented bigint NOT NULL DEFAULT 0,
  declined bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 20);
INSERT INTO feedback_totals (slot) SELECT generate_series(0, 7);

CREATE FUNCTION count_feedback() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_author text := (SELECT f.author_id FROM feedback f WHERE f.feedback_id = NEW.feedback_id);
  v_left text := CASE WHEN TG_OP = 'UPDATE' AND NOT OLD.removed THEN OLD.status END;
  v_entered text := CASE WHEN NOT NEW.removed THEN NEW.status END;
  v_slot integer := floor(random() * 8);
  v_open integer := (v_entered IS NOT DISTINCT FROM 'open')::integer - (v_left IS NOT DISTINCT FROM 'open')::integer;
  v_reviewing integer := (v_entered IS NOT DISTINCT FROM 'reviewing')::integer
    - (v_left IS NOT DISTINCT FROM 'reviewing')::integer;
  v_planned integer := (v_entered IS NOT DISTINCT FROM 'planned')::integer
    - (v_left IS NOT DISTINCT FROM 'planned')::integer;
  v_implemented integer := (v_entered IS NOT DISTINCT FROM 'implemented')::integer
    - (v_left IS NOT DISTINCT FROM 'implemented')::integer;
  v_declined integer := (v_entered IS NOT DISTINCT FROM 'declined')::integer
    - (v_left IS NOT DISTINCT FROM 'declined')::integer;
  v_change integer := (v_entered IS NOT NULL)::integer - (v_left IS NOT NULL)::integer;
  v_standing integer;
BEGIN
  IF v_left IS NOT DISTINCT FROM v_entered THEN
    RETURN NULL;
  END IF;
  -- The author's row first: it tells whether the author has become one, or is none any more.
  INSERT INTO feedback_authors AS a (author_id, open, reviewing, planned, implemented, declined)
  VALUES (v_author, v_open, v_reviewing, v_planned, v_implemented, v_declined)
  ON CONFLICT (author_id) DO UPDATE SET open = a.open + v_open, reviewing = a.reviewing + v_reviewing,
    planned = a.planned + v_planned, implemented = a.implemented + v_implemented, declined = a.declined + v_declined
  RETURNING a.open + a.reviewing + a.planned + a.implemented + a.declined INTO v_standing;
  UPDATE feedback_totals t SET
    authors = t.authors + (v_standing > 0)::integer - (v_standing - v_change > 0)::integer,
    open = t.open + v_open, reviewing = t.reviewing + v_reviewing, planned = t.planned + v_planned,
    implemented = t.implemented + v_implemented, declined = t.declined + v_declined
  WHERE t.slot = v_slot;
  RETURN NULL;
END $$;

LOCK TABLE feedback_states IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO feedback_authors (author_id, open, reviewing, planned, implemented, declined)
SELECT f.author_id, count(*) FILTER (WHERE s.status = 'open'), count(*) FILTER (WHERE s.status = 'reviewing'),
       count(*) FILTER (WHERE s.status = 'planned'), count(*) FILTER (WHERE s.status = 'implemented'),
       count(*) FILTER (WHERE s.status = 'declined')
FROM feedback f JOIN feedback_states s ON s.feedback_id = f.feedback_id AND NOT s.removed GROUP BY 1;
UPDATE feedback_totals SET (authors, open, reviewing, planned, implemented, declined) = (
  SELECT count(*), coalesce(sum(a.open), 0), coalesce(sum(a.reviewing), 0), coalesce(sum(a.planned), 0),
         coalesce(sum(a.implemented), 0), coalesce(sum(a.declined), 0) FROM feedback_authors a)
WHERE slot = 0;
CREATE TRIGGER feedback_states_counted AFTER INSERT OR UPDATE OF status, removed ON feedback_states
  FOR EACH ROW EXECUTE FUNCTION count_feedback();
CREATE INDEX feedback_reviews_since ON feedback_reviews (reviewed_at, feedback_id);
DROP INDEX feedback_reviews_by_time;

-- Posts that nobody has replied to yet. A flag and not the count, because an index that looks at the count would make
-- every further reply to a post as dear as moving its row.
ALTER TABLE post_states ADD COLUMN unreplied boolean NOT NULL DEFAULT false;
CREATE INDEX post_states_unreplied ON post_states (post_id DESC) WHERE unreplied AND NOT removed;
-- What is older is no opportunity any more.
UPDATE post_states s SET unreplied = true
WHERE s.reply_count = 0 AND s.post_id IN (
  SELECT p.post_id FROM posts p WHERE NOT p.hidden ORDER BY p.post_id DESC LIMIT 10000)
  AND EXISTS (SELECT FROM posts p WHERE p.post_id = s.post_id AND p.post_type = 'post');

-- Where a question stands, for the list of those that a community has not answered.
ALTER TABLE questions ADD COLUMN community_slug text COLLATE "C";
UPDATE questions q SET community_slug = p.community_slug
FROM posts p WHERE p.post_id = q.post_id AND p.community_slug IS NOT NULL;
CREATE INDEX questions_unanswered_in ON questions (community_slug, post_id)
  WHERE state = 'open' AND answer_count = 0 AND community_slug IS NOT NULL;

CREATE OR REPLACE FUNCTION create_post(
  p_admission jsonb, p_facts text, p_post_id text, p_author_id text, p_post_type text, p_community_slug text,
  p_hidden boolean, p_title text, p_body text, p_at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM accept_write(p_admission, p_facts);
  INSERT INTO posts (post_id, author_id, post_type, community_slug, hidden, title, body, created_at)
  VALUES (p_post_id, p_author_id, p_post_type, p_community_slug, p_hidden, p_title, p_body, p_at);
  INSERT INTO post_states (post_id, unreplied) VALUES (p_post_id, NOT p_hidden AND p_post_type = 'post');
  IF NOT p_hidden THEN
    INSERT INTO search_pending (post_id) VALUES (p_post_id);
  END IF;
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at)
  VALUES ('post.created', p_post_id, p_community_slug, p_hidden, p_at);
END $$;

CREATE OR REPLACE FUNCTION create_reply(
  p_admission jsonb, p_facts text, p_reply_id text, p_post_id text, p_parent_reply_id text, p_author_id text,
  p_body text, p_envelope boolean, p_at timestamptz
) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  post posts%ROWTYPE;
  state post_states%ROWTYPE;
BEGIN
  PERFORM enter_write(p_admission);
  SELECT * INTO state FROM post_states WHERE post_id = p_post_id FOR UPDATE;
  SELECT * INTO post FROM posts WHERE post_id = p_post_id;
  IF state IS NULL OR state.removed OR is_removed_community(post.community_slug)
     OR (post.hidden AND NOT is_member(p_author_id, post.community_slug)) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such post';
  END IF;
  IF post.community_slug IS NOT NULL AND NOT is_member(p_author_id, post.community_slug) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF403', MESSAGE = 'not a member';
  END IF;
  IF post.hidden <> p_envelope THEN
    RAISE EXCEPTION USING ERRCODE = 'AF400', COLUMN = 'body', MESSAGE = 'envelope in the wrong place';
  END IF;
  IF p_parent_reply_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM replies r JOIN reply_states s ON s.reply_id = r.reply_id AND NOT s.removed
    WHERE r.reply_id = p_parent_reply_id AND r.post_id = p_post_id
  ) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF400', COLUMN = 'parentReplyId', MESSAGE = 'no such reply to this post';
  END IF;
  PERFORM record_write(p_admission, p_facts);
  INSERT INTO replies (reply_id, post_id, reply_number, parent_reply_id, author_id, body, created_at)
  VALUES (p_reply_id, p_post_id, state.last_reply_number + 1, p_parent_reply_id, p_author_id, p_body, p_at);
  INSERT INTO reply_states (reply_id) VALUES (p_reply_id);
  UPDATE post_states SET reply_count = reply_count + 1, last_reply_number = last_reply_number + 1, unreplied = false
  WHERE post_id = p_post_id;
  IF post.post_type = 'question' AND post.author_id <> p_author_id THEN
    UPDATE questions SET answer_count = answer_count + 1 WHERE post_id = p_post_id;
  END IF;
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at)
  VALUES ('reply.created', p_reply_id, post.community_slug, post.hidden, p_at);
  RETURN state.last_reply_number + 1;
END $$;

CREATE OR REPLACE FUNCTION create_question(
  p_admission jsonb, p_facts text, p_post_id text, p_author_id text, p_post_type text, p_community_slug text,
  p_hidden boolean, p_title text, p_body text, p_at timestamptz, p_bounty_stake integer, p_bounty_micro bigint
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_hold bigint;
BEGIN
  PERFORM enter_write(p_admission);
  IF p_bounty_stake IS NOT NULL THEN
    -- Whoever removes the community releases the bounties that it holds then.
    PERFORM FROM community_states WHERE slug = p_community_slug AND NOT removed FOR SHARE;
    IF NOT FOUND AND p_community_slug IS NOT NULL THEN
      RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such community';
    END IF;
    v_hold := karma_hold(p_author_id, p_bounty_micro, 'bounty_escrow', p_post_id, p_at);
  END IF;
  PERFORM create_post(p_admission, p_facts, p_post_id, p_author_id, p_post_type, p_community_slug, p_hidden, p_title,
                      p_body, p_at);
  INSERT INTO questions (post_id, bounty_stake, hold_seq, community_slug)
  VALUES (p_post_id, p_bounty_stake, v_hold, p_community_slug);
END $$;

-- What the pulse tells of the last day, by the hour too: a day is 24 of these and the minutes of one hour.
CREATE TABLE hour_counts (
  scope text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  hour bigint NOT NULL,
  value bigint NOT NULL,
  PRIMARY KEY (scope, kind, hour)
);
-- Copies that an earlier release computed lack what answers have gained since.
DELETE FROM aggregates;

LOCK TABLE minute_counts IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO hour_counts (scope, kind, hour, value)
SELECT scope, kind, minute / 60, sum(value) FROM minute_counts GROUP BY 1, 2, 3;

CREATE OR REPLACE FUNCTION fold_into_overview(p_events outbox[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO stale_aggregates (scope)
  SELECT DISTINCT scope FROM (
    SELECT '' AS scope FROM unnest(p_events) e WHERE NOT e.hidden
    UNION ALL SELECT e.community_slug FROM unnest(p_events) e WHERE e.community_slug IS NOT NULL
  ) touched ORDER BY scope
  ON CONFLICT DO NOTHING;
  WITH counted AS MATERIALIZED (
    SELECT s.scope, c.kind, minute_of(coalesce(e.written_at, e.occurred_at)) AS minute, sum(c.value) AS value
    FROM unnest(p_events) e
    JOIN counted_events c ON c.event = e.kind
    CROSS JOIN LATERAL (SELECT '' AS scope WHERE NOT e.hidden
                        UNION ALL SELECT e.community_slug WHERE e.community_slug IS NOT NULL) s
    GROUP BY 1, 2, 3
  ), minutes AS (
    INSERT INTO minute_counts AS m (scope, kind, minute, value)
    SELECT scope, kind, minute, value FROM counted ORDER BY 1, 2, 3
    ON CONFLICT (scope, kind, minute) DO UPDATE SET value = m.value + EXCLUDED.value
  )
  INSERT INTO hour_counts AS h (scope, kind, hour, value)
  SELECT scope, kind, minute / 60, sum(value) FROM counted GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (scope, kind, hour) DO UPDATE SET value = h.value + EXCLUDED.value;
END $$;

CREATE OR REPLACE FUNCTION recent_totals(
  p_at timestamptz, OUT agents integer, OUT posts integer, OUT replies integer, OUT votes integer
) LANGUAGE plpgsql STABLE AS $$
BEGIN
  WITH scopes AS (
    SELECT '' AS scope, 1 AS sign
    UNION ALL
    SELECT s.slug, -1 FROM community_states s JOIN communities c ON c.slug = s.slug AND NOT c.encrypted WHERE s.removed
  ), kinds AS (
    SELECT DISTINCT kind FROM counted_events
  ), counted AS (
    SELECT s.sign, k.kind, sum(h.value) AS value
    FROM scopes s CROSS JOIN kinds k
    JOIN hour_counts h ON h.scope = s.scope AND h.kind = k.kind AND h.hour > (minute_of(p_at) - 1440) / 60
    GROUP BY 1, 2
    UNION ALL
    SELECT s.sign, k.kind, sum(m.value)
    FROM scopes s CROSS JOIN kinds k
    JOIN minute_counts m ON m.scope = s.scope AND m.kind = k.kind AND m.minute > minute_of(p_at) - 1440
      AND m.minute < ((minute_of(p_at) - 1440) / 60 + 1) * 60
    GROUP BY 1, 2
    UNION ALL
    SELECT s.sign, c.kind, c.value
    FROM scopes s
    JOIN outbox o ON o.outbox_id > 0 AND CASE WHEN s.scope = '' THEN NOT o.hidden ELSE o.community_slug = s.scope COLLATE "default" END
    JOIN counted_events c ON c.event = o.kind
    WHERE minute_of(coalesce(o.written_at, o.occurred_at)) > minute_of(p_at) - 1440
  )
  SELECT coalesce(sum(value) FILTER (WHERE kind = 'agent'), 0)::integer,
         coalesce(sum(value * sign) FILTER (WHERE kind = 'post'), 0)::integer,
         coalesce(sum(value * sign) FILTER (WHERE kind = 'reply'), 0)::integer,
         coalesce(sum(value) FILTER (WHERE kind = 'vote' AND sign = 1), 0)::integer
  INTO agents, posts, replies, votes FROM counted;
END $$;
`);
}
