-- Deletes evidence with p_id in the fact p_fact (docs/governance#erasure); its leaves name the event p_event_id. AF409:
-- a leaf is not computed yet. Keeps the key to look the nonce up, which is otherwise read from the evidence. Leaves of
-- registrations have no key of their subject: p_written_at, the time at which one was accepted, finds it.
CREATE FUNCTION release.erase_evidence(
  p_operations text[], p_fact text, p_id text, p_event_id text, p_written_at timestamptz DEFAULT NULL
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_key bigint := release.lookup_key(p_id);
  v_ids bigint[];
  v_times timestamptz[];
  v_first bigint := release.first_leaf_since(p_written_at - interval '10 minutes');
  v_end bigint := release.first_leaf_since(p_written_at + interval '10 minutes');
BEGIN
  -- Waits for a concurrent sequencer: rows that wait here then have their leaf, or are gone.
  PERFORM FROM log_pending p JOIN write_evidence e ON e.evidence_id = p.pending_id AND e.accepted_at = p.accepted_at
  WHERE p.commitment IS NULL AND p.event_id IS NULL AND p.key_change IS NULL
    AND e.operation = ANY (p_operations) AND e.facts::jsonb->>p_fact = p_id
  FOR UPDATE OF p;
  IF FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF409', MESSAGE = 'its evidence waits for its place in the log';
  END IF;
  WITH places AS (
    SELECT evidence_id, accepted_at FROM log_leaves WHERE subject_key = v_key AND evidence_id IS NOT NULL
    UNION ALL
    SELECT evidence_id, accepted_at FROM log_leaves
    WHERE leaf_index >= v_first AND leaf_index < v_end AND accepted_at = p_written_at
    UNION ALL
    SELECT pending_id, accepted_at FROM log_pending WHERE commitment IS NOT NULL
  )
  SELECT array_agg(e.evidence_id), array_agg(e.accepted_at) INTO v_ids, v_times
  FROM places l JOIN write_evidence e ON e.evidence_id = l.evidence_id AND e.accepted_at = l.accepted_at
  WHERE e.operation = ANY (p_operations) AND e.facts::jsonb->>p_fact = p_id;
  INSERT INTO erased_evidence (evidence_id, event_id, nonce_key)
  SELECT e.evidence_id, p_event_id,
         -- The nonce is the sixth line of what was signed. A registration has none.
         CASE WHEN p_written_at IS NULL THEN
           release.lookup_key(e.agent_id || E'\n' || split_part(e.signed_text, E'\n', 6)) END
  FROM unnest(v_ids, v_times) gone (id, at) JOIN write_evidence e ON e.evidence_id = gone.id AND e.accepted_at = gone.at
  ON CONFLICT DO NOTHING;
  DELETE FROM write_evidence e USING unnest(v_ids, v_times) gone (id, at)
    WHERE e.evidence_id = gone.id AND e.accepted_at = gone.at;
END $$;
