-- Puts events into the outbox, in their order, and tells nobody of the same text twice (docs/inbox#mentions): an event that
-- names whom the cause itself concerns is left out. What an event leaves open (null) is where its cause happened and whom that
-- concerns; of request and trace it keeps what is known. Answers in how many scopes they count.
CREATE FUNCTION release.write_events(
  p_kinds text[], p_subjects text[], p_communities text[], p_hidden boolean[], p_recipients text[], p_at timestamptz,
  p_request_id text, p_trace_id text, p_outcome release.outcome
) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_counted integer := 0;
BEGIN
  FOR n IN 1 .. cardinality(p_kinds) LOOP
    CONTINUE WHEN p_recipients[n] = p_outcome.recipient;
    v_counted := v_counted + release.put_event(
      p_kinds[n], p_subjects[n], CASE WHEN p_hidden[n] IS NULL THEN p_outcome.community_slug ELSE p_communities[n] END,
      coalesce(p_hidden[n], p_outcome.encrypted, false), p_at, coalesce(p_recipients[n], p_outcome.recipient),
      p_request_id, p_trace_id);
  END LOOP;
  RETURN v_counted;
END $$;
