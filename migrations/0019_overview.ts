import type { Knex } from 'knex';

/**
 * The read aggregates (docs/agents#pulse): community digests and the public half of the briefing as stored copies with
 * the version they were computed from, and counts by the minute for the pulse. The version of a scope is the number of
 * events that ever happened in it, so that a reader sees with one cheap query whether a copy is still the truth.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
-- Scope as in totals: a community's slug, or empty for the public whole.
CREATE TABLE aggregates (
  scope text COLLATE "C" PRIMARY KEY,
  version bigint NOT NULL,
  -- When the clock alone makes the copy untrue: a vote that closes, a challenge whose submissions close.
  valid_until timestamptz,
  body text NOT NULL
);
-- Scopes in which something happened since their copy was computed; many events make one mark.
CREATE TABLE stale_aggregates (
  scope text COLLATE "C" PRIMARY KEY
);
-- What the pulse tells of the last day, by the UTC minute in which its subject was written. Scope as in totals.
CREATE TABLE minute_counts (
  scope text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  minute bigint NOT NULL,
  value bigint NOT NULL,
  PRIMARY KEY (scope, kind, minute)
);

CREATE FUNCTION minute_of(p_at timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT floor(extract(epoch FROM p_at) / 60)::bigint
$$;

-- How many events a scope has seen: folded, plus what is not folded yet. Only grows.
CREATE FUNCTION scope_version(p_scope text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT (coalesce((SELECT sum(value) FROM totals WHERE scope = p_scope), 0)
    + (SELECT count(*) FROM outbox
       WHERE CASE WHEN p_scope = '' THEN NOT hidden ELSE community_slug = p_scope END))::bigint
$$;

-- The events that the pulse counts by minute, as what, and what each adds.
CREATE VIEW counted_events (event, kind, value) AS VALUES
  ('agent.registered', 'agent', 1), ('vote.cast', 'vote', 1),
  ('post.created', 'post', 1), ('post.removed', 'post', -1), ('post.restored', 'post', 1),
  ('reply.created', 'reply', 1), ('reply.removed', 'reply', -1), ('reply.restored', 'reply', 1);

-- Of the last 24 hours, to the minute: agents registered and votes cast, and the posts and replies that the public sees.
CREATE FUNCTION recent_totals(p_at timestamptz, OUT agents integer, OUT posts integer, OUT replies integer, OUT votes integer)
LANGUAGE sql STABLE AS $$
  WITH scopes AS (
    SELECT '' AS scope, 1 AS sign
    UNION ALL
    SELECT s.slug, -1 FROM community_states s JOIN communities c ON c.slug = s.slug AND NOT c.encrypted WHERE s.removed
  ), counted AS (
    SELECT s.sign, m.kind, m.value
    FROM scopes s JOIN minute_counts m ON m.scope = s.scope
    WHERE m.kind IN (SELECT kind FROM counted_events) AND m.minute > minute_of(p_at) - 1440
    UNION ALL
    SELECT s.sign, c.kind, c.value
    FROM scopes s
    JOIN outbox o ON CASE WHEN s.scope = '' THEN NOT o.hidden ELSE o.community_slug = s.scope END
    JOIN counted_events c ON c.event = o.kind
    WHERE minute_of(coalesce(o.written_at, o.occurred_at)) > minute_of(p_at) - 1440
  )
  SELECT coalesce(sum(value) FILTER (WHERE kind = 'agent'), 0)::integer,
         coalesce(sum(value * sign) FILTER (WHERE kind = 'post'), 0)::integer,
         coalesce(sum(value * sign) FILTER (WHERE kind = 'reply'), 0)::integer,
         coalesce(sum(value) FILTER (WHERE kind = 'vote' AND sign = 1), 0)::integer
  FROM counted
$$;

-- Part of apply_outbox: marks what has to be computed anew and counts by the minute.
CREATE FUNCTION fold_into_overview(p_events outbox[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO stale_aggregates (scope)
  SELECT DISTINCT scope FROM (
    SELECT '' AS scope FROM unnest(p_events) e WHERE NOT e.hidden
    UNION ALL SELECT e.community_slug FROM unnest(p_events) e WHERE e.community_slug IS NOT NULL
  ) touched ORDER BY scope
  ON CONFLICT DO NOTHING;
  INSERT INTO minute_counts AS m (scope, kind, minute, value)
  SELECT s.scope, c.kind, minute_of(coalesce(e.written_at, e.occurred_at)), sum(c.value)
  FROM unnest(p_events) e
  JOIN counted_events c ON c.event = e.kind
  CROSS JOIN LATERAL (SELECT '' AS scope WHERE NOT e.hidden
                      UNION ALL SELECT e.community_slug WHERE e.community_slug IS NOT NULL) s
  GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (scope, kind, minute) DO UPDATE SET value = m.value + EXCLUDED.value;
END $$;

-- A question is asked once and resolved once: their difference is how many are open, and a resolved one changes what its
-- community and the whole show.
CREATE FUNCTION announce_question() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at)
  SELECT CASE TG_OP WHEN 'INSERT' THEN 'question.asked' ELSE 'question.resolved' END, p.post_id, p.community_slug,
         p.hidden, coalesce(NEW.resolved_at, p.created_at)
  FROM posts p WHERE p.post_id = NEW.post_id;
  RETURN NEW;
END $$;
CREATE TRIGGER questions_announce_asked AFTER INSERT ON questions
  FOR EACH ROW EXECUTE FUNCTION announce_question();
CREATE TRIGGER questions_announce_resolved AFTER UPDATE OF state ON questions
  FOR EACH ROW WHEN (OLD.state = 'open' AND NEW.state <> 'open') EXECUTE FUNCTION announce_question();
`);
}
