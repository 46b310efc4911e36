-- Inserts one event into the outbox and adds it to the counters of its scopes (docs/agents#pulse). p_events: how many
-- events this row stands for, 0 or more. p_written_at: when the post or reply was written that is removed or restored.
CREATE FUNCTION release.put_event(
  p_kind text, p_subject text, p_community_slug text, p_hidden boolean, p_at timestamptz, p_recipient text DEFAULT NULL,
  p_written_at timestamptz DEFAULT NULL, p_events integer DEFAULT 1
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at, recipient)
  VALUES (p_kind, p_subject, p_community_slug, p_hidden, p_at, p_recipient);
  PERFORM release.count_events(p_kind, p_community_slug, p_hidden, p_at, p_events, p_written_at);
END $$;
