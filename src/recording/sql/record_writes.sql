-- The last step of every write, in one transaction with its effect (docs/limits#how-a-charge-is-made, docs/reconcile).
-- Stores the receipts, the evidence with its entry in the queue of the transparency log, and the events of a batch of
-- writes. Returns a JSON array with the answer of each effect.
--
-- Raises AF401 if a receipt with the same nonce exists, and AF429 if a write costs allowance and none was reserved.
-- Raises AF503 past the deadline: after a network failure a statement can arrive long after its process abandoned it.
-- Any failure undoes the whole batch. A write that changed nothing costs no allowance, and stores neither evidence nor
-- events. A preview stores nothing.
CREATE FUNCTION release.record_writes(p_writes release.written[]) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  v_each release.written;
  v_write release.write;
  v_receipts integer := 0;
  v_mentions boolean := false;
  v_stored integer;
  v_alike record;
BEGIN
  FOREACH v_each IN ARRAY p_writes LOOP
    v_write := v_each.write;
    IF clock_timestamp() > v_write.deadline THEN
      RAISE EXCEPTION USING ERRCODE = 'AF503', HINT = '1', MESSAGE = 'arrived too late';
    END IF;
    IF v_write.counter IS NOT NULL AND NOT v_write.reserved AND (v_each.outcome).unchanged IS NOT TRUE THEN
      RAISE EXCEPTION USING ERRCODE = 'AF429', MESSAGE = 'nothing left of the allowance';
    END IF;
    v_receipts := v_receipts + (v_write.nonce IS NOT NULL AND NOT v_write.preview)::integer;
    v_mentions := v_mentions OR v_write.events @> '[{"kind": "agent.mentioned"}]';
  END LOOP;
  IF v_mentions THEN
    p_writes := release.bound_mentions(p_writes);
  END IF;
  INSERT INTO write_receipts (agent_id, nonce, signed_at, operation, counter, status, facts, created_at)
  SELECT (e.write).agent_id, (e.write).nonce, (e.write).signed_at, (e.write).operation,
         CASE WHEN (e.outcome).unchanged IS NOT TRUE THEN (e.write).counter END, (e.write).status,
         CASE WHEN (e.outcome).unchanged THEN
                ((e.write).facts::jsonb || (e.outcome).answer
                 || jsonb_build_object('rateLimit', (e.write).rate_limit_if_unchanged::jsonb))::text
              WHEN (e.outcome).answer IS NOT NULL THEN ((e.write).facts::jsonb || (e.outcome).answer)::text
              ELSE (e.write).facts END,
         (e.write).accepted_at
  FROM unnest(p_writes) e WHERE (e.write).nonce IS NOT NULL AND NOT (e.write).preview
  ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS v_stored = ROW_COUNT;
  IF v_stored < v_receipts THEN
    RAISE EXCEPTION USING ERRCODE = 'AF401', MESSAGE = 'replayed';
  END IF;
  FOR v_alike IN
    WITH changed AS (
      SELECT (e.write).*, (e.outcome).community_slug, (e.outcome).encrypted, (e.outcome).recipient,
             CASE WHEN (e.write).salt IS NOT NULL THEN nextval('public.evidence_ids') END AS evidence_id
      FROM unnest(p_writes) e WHERE (e.outcome).unchanged IS NOT TRUE AND NOT (e.write).preview
    ), evidence AS (
      INSERT INTO write_evidence (evidence_id, accepted_at, agent_id, operation, salt, signed_text, signature, body,
        facts, public_key)
      SELECT evidence_id, accepted_at, agent_id, operation, salt, signed_text, signature, convert_to(body, 'UTF8'),
        evident, public_key
      FROM changed WHERE evidence_id IS NOT NULL
    ), pending AS (
      INSERT INTO log_pending (pending_id, accepted_at, commitment)
      SELECT evidence_id, accepted_at, commitment FROM changed WHERE evidence_id IS NOT NULL
    ), events AS (
      -- What an event leaves open is taken from the outcome of its write. An event for the agent that the outcome
      -- already names is left out, so that nobody gets two notifications of the same text (docs/inbox#mentions).
      INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at, recipient, request_id, trace_id)
      SELECT v.kind, v.subject, CASE WHEN v.hidden IS NULL THEN c.community_slug ELSE v.community END,
             coalesce(v.hidden, c.encrypted, false), c.accepted_at, coalesce(v.recipient, c.recipient), c.request_id,
             c.trace_id
      FROM changed c CROSS JOIN LATERAL jsonb_to_recordset(c.events)
        AS v(kind text, subject text, community text, hidden boolean, recipient text)
      WHERE (v.recipient = c.recipient) IS NOT TRUE
      RETURNING kind, community_slug, hidden, occurred_at
    )
    SELECT kind, community_slug, hidden, date_trunc('second', occurred_at) AS at, count(*)::integer AS events
    FROM events GROUP BY 1, 2, 3, 4
  LOOP
    PERFORM release.count_events(v_alike.kind, v_alike.community_slug, v_alike.hidden, v_alike.at, v_alike.events);
  END LOOP;
  RETURN (SELECT jsonb_agg((e.outcome).answer ORDER BY e.place)
    FROM unnest(p_writes) WITH ORDINALITY AS e(write, outcome, place));
END $$;
