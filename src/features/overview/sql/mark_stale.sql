CREATE FUNCTION release.mark_stale(p_events public.outbox[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO stale_aggregates (scope)
  SELECT DISTINCT scope FROM (
    SELECT '' AS scope FROM unnest(p_events) e WHERE NOT e.hidden
    UNION ALL SELECT e.community_slug FROM unnest(p_events) e WHERE e.community_slug IS NOT NULL
  ) touched ORDER BY scope
  ON CONFLICT DO NOTHING;
END $$;
