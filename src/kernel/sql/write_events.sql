-- Puts events into the outbox, in their order. What an event leaves open (null) is where its cause happened and whom that
-- concerns.
CREATE FUNCTION release.write_events(
  p_kinds text[], p_subjects text[], p_communities text[], p_hidden boolean[], p_recipients text[], p_at timestamptz,
  p_outcome release.outcome
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at, recipient)
  SELECT e.kind, e.subject, CASE WHEN e.hidden IS NULL THEN p_outcome.community_slug ELSE e.community_slug END,
         coalesce(e.hidden, p_outcome.encrypted, false), p_at, coalesce(e.recipient, p_outcome.recipient)
  FROM unnest(p_kinds, p_subjects, p_communities, p_hidden, p_recipients)
    WITH ORDINALITY AS e (kind, subject, community_slug, hidden, recipient, place)
  ORDER BY e.place;
END $$;
