-- `put_event` for the events of several writes, which all say where they happened and whom they concern; those alike are counted
-- at once. p_writes: by its place, to which write each belongs; of those at no place in p_recorded nothing is put. Times and
-- requests are those of the writes. Answers in how many scopes they count.
CREATE FUNCTION release.put_events(
  p_recorded integer[], p_writes integer[], p_kinds text[], p_subjects text[], p_communities text[], p_hidden boolean[],
  p_recipients text[], p_at timestamptz[], p_request_ids text[], p_trace_ids text[]
) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_alike record;
  v_counted integer := 0;
BEGIN
  FOR v_alike IN
    WITH put AS (
      INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at, recipient, request_id, trace_id)
      SELECT e.kind, e.subject, e.community_slug, e.hidden, p_at[e.write], e.recipient, p_request_ids[e.write],
             p_trace_ids[e.write]
      FROM unnest(p_writes, p_kinds, p_subjects, p_communities, p_hidden, p_recipients)
        AS e(write, kind, subject, community_slug, hidden, recipient)
      WHERE e.write = ANY (p_recorded)
      RETURNING kind, community_slug, hidden, occurred_at
    )
    SELECT kind, community_slug, hidden, date_trunc('second', occurred_at) AS at, count(*)::integer AS events
    FROM put GROUP BY 1, 2, 3, 4
  LOOP
    v_counted := v_counted + release.count_events(
      v_alike.kind, v_alike.community_slug, v_alike.hidden, v_alike.at, v_alike.events);
  END LOOP;
  RETURN v_counted;
END $$;
