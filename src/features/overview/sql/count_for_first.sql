-- Part of apply_outbox, for processes of release 1: counts by the minute what their pulse counts, the kinds in p_kinds, as the
-- nouns in p_nouns, by the values in p_values; and the sums, where they know members that joined, and take the sum of all for the
-- number of events. Those come last, because everybody's deliveries wait for these rows.
CREATE FUNCTION release.count_for_first(p_events public.outbox[], p_kinds text[], p_nouns text[], p_values integer[])
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH counted AS MATERIALIZED (
    SELECT s.scope, c.noun AS kind, release.minute_of(coalesce(e.written_at, e.occurred_at)) AS minute, sum(c.value) AS value
    FROM unnest(p_events) e
    JOIN unnest(p_kinds, p_nouns, p_values) AS c (kind, noun, value) ON c.kind = e.kind
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
  INSERT INTO totals AS t (scope, kind, value)
  SELECT counted.scope, k.kind, sum(k.value) FROM (
    SELECT '' AS scope, e.kind FROM unnest(p_events) e WHERE NOT e.hidden
    UNION ALL SELECT e.community_slug, e.kind FROM unnest(p_events) e WHERE e.community_slug IS NOT NULL
  ) counted
  CROSS JOIN LATERAL (
    SELECT counted.kind, CASE counted.kind WHEN 'community.left' THEN 2 ELSE 1 END AS value
    UNION ALL SELECT 'community.joined', -1 WHERE counted.kind = 'community.left') k
  GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (scope, kind) DO UPDATE SET value = t.value + EXCLUDED.value;
END $$;
