-- Part of apply_outbox: marks what has to be computed anew; and counts by the minute what the pulse of the release before
-- counts: the kinds in p_kinds, as the nouns in p_nouns, by the values in p_values.
CREATE FUNCTION release.fold_into_overview(p_events outbox[], p_kinds text[], p_nouns text[], p_values integer[])
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO stale_aggregates (scope)
  SELECT DISTINCT scope FROM (
    SELECT '' AS scope FROM unnest(p_events) e WHERE NOT e.hidden
    UNION ALL SELECT e.community_slug FROM unnest(p_events) e WHERE e.community_slug IS NOT NULL
  ) touched ORDER BY scope
  ON CONFLICT DO NOTHING;
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
END $$;
