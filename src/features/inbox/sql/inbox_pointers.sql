-- One for each event with a recipient (docs/inbox); an event in an encrypted community notifies only members. A mention
-- that is delivered late, after another event of the same text, is left out: one text creates one event.
CREATE FUNCTION release.inbox_pointers(p_events public.outbox[], p_kinds text[], p_types text[]) RETURNS TABLE (
  outbox_id bigint, agent_id text, type text, subject text, at timestamptz
) LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY
  SELECT e.outbox_id, e.recipient, t.type, e.subject, e.occurred_at
  FROM unnest(p_events) e JOIN unnest(p_kinds, p_types) t (kind, type) ON t.kind = e.kind
  WHERE e.recipient IS NOT NULL
    AND (NOT e.hidden OR e.community_slug IS NULL OR release.is_member(e.recipient, e.community_slug))
    AND (e.kind <> 'agent.mentioned' OR NOT EXISTS (
      SELECT FROM inbox_entries i WHERE i.agent_id = e.recipient AND i.at >= e.occurred_at AND i.subject = e.subject
        AND i.type IN ('thread', 'match')));
END $$;
