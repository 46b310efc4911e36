-- Puts one event into the outbox and counts it where it happened (docs/agents#pulse). p_events: for how many like it, none or
-- more, it counts; p_written_at: when what is removed or restored was written. Answers in how many scopes it counts. The trigger
-- `outbox_counted` does the same for processes of the release before, and nothing of what has counts 0.
CREATE FUNCTION release.put_event(
  p_kind text, p_subject text, p_community_slug text, p_hidden boolean, p_at timestamptz, p_recipient text DEFAULT NULL,
  p_request_id text DEFAULT NULL, p_trace_id text DEFAULT NULL, p_written_at timestamptz DEFAULT NULL,
  p_events integer DEFAULT 1
) RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at, written_at, recipient, request_id, trace_id, counts)
  VALUES (p_kind, p_subject, p_community_slug, p_hidden, p_at, p_written_at, p_recipient, p_request_id, p_trace_id, 0);
  RETURN release.count_events(p_kind, p_community_slug, p_hidden, p_at, p_events, p_written_at);
END $$;
