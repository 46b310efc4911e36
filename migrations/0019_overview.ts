import type { Knex } from 'knex';

/**
 * The read aggregates (contract 5): community digests and the public half of the briefing as stored copies with the
 * version they were computed from, and counts by the minute for the pulse. The version of a scope is the number of events
 * that ever happened in it, so that a reader sees with one cheap query whether a copy is still the truth.
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
-- Public events by UTC minute, for the last day of the pulse.
CREATE TABLE minute_counts (
  minute bigint NOT NULL,
  kind text NOT NULL,
  value bigint NOT NULL,
  PRIMARY KEY (minute, kind)
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

-- How often something public happened in the last 24 hours, to the minute.
CREATE FUNCTION recent_total(p_kind text, p_at timestamptz) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT (coalesce((SELECT sum(value) FROM minute_counts WHERE minute > minute_of(p_at) - 1440 AND kind = p_kind), 0)
    + (SELECT count(*) FROM outbox
       WHERE kind = p_kind AND NOT hidden AND minute_of(occurred_at) > minute_of(p_at) - 1440))::bigint
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
  INSERT INTO minute_counts AS m (minute, kind, value)
  SELECT minute_of(e.occurred_at), e.kind, count(*) FROM unnest(p_events) e WHERE NOT e.hidden
  GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (minute, kind) DO UPDATE SET value = m.value + EXCLUDED.value;
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

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
DROP TRIGGER questions_announce_resolved ON questions;
DROP TRIGGER questions_announce_asked ON questions;
DROP FUNCTION announce_question();
DROP FUNCTION fold_into_overview(outbox[]);
DROP FUNCTION recent_total(text, timestamptz);
DROP FUNCTION scope_version(text);
DROP FUNCTION minute_of(timestamptz);
DROP TABLE minute_counts, stale_aggregates, aggregates;
`);
}
