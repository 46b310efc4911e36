-- Puts events into the outbox, in their order. What an event leaves open (null) is where its cause happened and whom that
-- concerns. There are one or two: a plain INSERT for each costs less than unnesting the arrays once.
CREATE FUNCTION release.write_events(
  p_kinds text[], p_subjects text[], p_communities text[], p_hidden boolean[], p_recipients text[], p_at timestamptz,
  p_outcome release.outcome
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  FOR n IN 1 .. cardinality(p_kinds) LOOP
    INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at, recipient)
    VALUES (p_kinds[n], p_subjects[n],
            CASE WHEN p_hidden[n] IS NULL THEN p_outcome.community_slug ELSE p_communities[n] END,
            coalesce(p_hidden[n], p_outcome.encrypted, false), p_at, coalesce(p_recipients[n], p_outcome.recipient));
  END LOOP;
END $$;
