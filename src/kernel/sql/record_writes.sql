-- `enter_write` and `record_write` of several writes of one operation at once, before their effect, in one transaction with
-- it: an INSERT a table takes a fraction of one a row. Answers which of them stand, by their places among the values, in the
-- order of their agents. The others left nothing: each is to be sent by itself, and is told then why it is refused. Raises
-- nothing that only one of them is to blame for.
--
-- For what costs allowance and always changes something; p_writes are the places of the writes that the events belong to.
CREATE FUNCTION release.record_writes(
  p_agent_ids text[], p_nonces text[], p_signed_at timestamptz[], p_at timestamptz[], p_deadlines timestamptz[],
  p_operations text[], p_counters text[], p_reserved boolean[], p_statuses smallint[], p_facts text[],
  p_salts bytea[], p_signed_texts text[], p_signatures text[], p_bodies bytea[], p_evident text[],
  p_commitments bytea[], p_public_keys text[], p_request_ids text[], p_trace_ids text[],
  p_fences integer[], p_key_epochs integer[], p_later_keys text[],
  p_writes integer[], p_kinds text[], p_subjects text[], p_communities text[], p_hidden boolean[], p_recipients text[]
) RETURNS integer[] LANGUAGE plpgsql AS $$
DECLARE
  v_recorded integer[];
  v_counted integer;
BEGIN
  -- In one order, so that no two wait for each other.
  PERFORM FROM agent_states WHERE agent_id = ANY (p_agent_ids) ORDER BY agent_id FOR SHARE;
  WITH entered AS (
    SELECT DISTINCT ON (w.agent_id, w.nonce) w.*
    FROM unnest(
      p_agent_ids, p_nonces, p_signed_at, p_at, p_deadlines, p_operations, p_counters, p_reserved, p_statuses, p_facts, p_salts,
      p_signed_texts, p_signatures, p_bodies, p_evident, p_commitments, p_public_keys, p_fences, p_key_epochs, p_later_keys
    ) WITH ORDINALITY AS w(
      agent_id, nonce, signed_at, at, deadline, operation, counter, reserved, status, facts, salt,
      signed_text, signature, body, evident, commitment, public_key, fence, key_epoch, later_key, place)
    JOIN agent_states s ON s.agent_id = w.agent_id AND s.key_epoch = w.key_epoch AND s.fence = w.fence
      AND NOT s.suspended AND (s.frozen_at > '-infinity') IS NOT TRUE
    -- What the effect is yet to take ends by the time limit of a statement, and so by the deadline.
    WHERE w.reserved AND clock_timestamp() <= w.deadline - current_setting('statement_timeout')::interval
      AND (w.key_epoch = 0 OR EXISTS (
        SELECT FROM agent_keys k
        WHERE k.agent_id = w.agent_id AND k.key_epoch = w.key_epoch AND k.public_key = w.later_key))
    ORDER BY w.agent_id, w.nonce
  ), receipts AS (
    INSERT INTO write_receipts (agent_id, nonce, signed_at, operation, counter, status, facts, created_at)
    SELECT agent_id, nonce, signed_at, operation, counter, status, facts, at FROM entered
    ON CONFLICT DO NOTHING RETURNING agent_id, nonce
  ), recorded AS (
    SELECT e.*, nextval('public.evidence_ids') AS evidence_id FROM entered e JOIN receipts USING (agent_id, nonce)
  ), evidence AS (
    INSERT INTO write_evidence (evidence_id, accepted_at, agent_id, operation, salt, signed_text, signature, body, facts,
                                public_key)
    SELECT evidence_id, at, agent_id, operation, salt, signed_text, signature, body, evident, public_key FROM recorded
  ), pending AS (
    INSERT INTO log_pending (pending_id, accepted_at, commitment) SELECT evidence_id, at, commitment FROM recorded
  )
  SELECT array_agg(place ORDER BY agent_id) INTO v_recorded FROM recorded;
  v_counted := release.put_events(v_recorded, p_writes, p_kinds, p_subjects, p_communities, p_hidden, p_recipients, p_at,
                                  p_request_ids, p_trace_ids);
  RETURN v_recorded;
END $$;
