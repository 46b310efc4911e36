-- Of the last 24 hours, to the minute: agents registered and votes cast, and the posts and replies that the public sees.
-- What of the outbox counts, as what and by how much, is given like to fold_into_overview.
CREATE FUNCTION release.recent_totals(
  p_at timestamptz, p_kinds text[], p_nouns text[], p_values integer[], OUT agents integer, OUT posts integer, OUT replies integer, OUT votes integer
) LANGUAGE plpgsql STABLE AS $$
BEGIN
  WITH scopes AS (
    SELECT '' AS scope, 1 AS sign
    UNION ALL
    SELECT s.slug, -1 FROM community_states s JOIN communities c ON c.slug = s.slug AND NOT c.encrypted WHERE s.removed
  ), kinds AS (
    SELECT DISTINCT noun AS kind FROM unnest(p_nouns) AS noun
  ), counted AS (
    SELECT s.sign, k.kind, sum(h.value) AS value
    FROM scopes s CROSS JOIN kinds k
    JOIN hour_counts h ON h.scope = s.scope AND h.kind = k.kind AND h.hour > (release.minute_of(p_at) - 1440) / 60
    GROUP BY 1, 2
    UNION ALL
    SELECT s.sign, k.kind, sum(m.value)
    FROM scopes s CROSS JOIN kinds k
    JOIN minute_counts m ON m.scope = s.scope AND m.kind = k.kind AND m.minute > release.minute_of(p_at) - 1440
      AND m.minute < ((release.minute_of(p_at) - 1440) / 60 + 1) * 60
    GROUP BY 1, 2
    UNION ALL
    SELECT s.sign, c.noun, c.value
    FROM scopes s
    JOIN outbox o ON o.outbox_id > 0 AND CASE WHEN s.scope = '' THEN NOT o.hidden ELSE o.community_slug = s.scope COLLATE "default" END
    JOIN unnest(p_kinds, p_nouns, p_values) AS c (kind, noun, value) ON c.kind = o.kind
    WHERE release.minute_of(coalesce(o.written_at, o.occurred_at)) > release.minute_of(p_at) - 1440
  )
  SELECT coalesce(sum(value) FILTER (WHERE kind = 'agent'), 0)::integer,
         coalesce(sum(value * sign) FILTER (WHERE kind = 'post'), 0)::integer,
         coalesce(sum(value * sign) FILTER (WHERE kind = 'reply'), 0)::integer,
         coalesce(sum(value) FILTER (WHERE kind = 'vote' AND sign = 1), 0)::integer
  INTO agents, posts, replies, votes FROM counted;
END $$;
