-- The last step of every write, in one transaction with its effect (docs/limits#how-a-charge-is-made, docs/reconcile), whose
-- outcome comes last: the receipt, the evidence, which waits for its place in the log from then on, and the events. Answers
-- what the effect has to say.
--
-- Raises AF401 when there is a receipt under this nonce, AF429 when the write costs allowance and nothing was left, AF503
-- past the deadline, by the database's own time: a network that was cut may deliver a statement long after its process gave
-- it up. What nobody signed has no nonce and leaves no receipt; without a salt, and of what changed nothing, no evidence is
-- kept: that costs nothing, and could be repeated without end. A preview leaves nothing at all.
CREATE FUNCTION release.record_write(
  p_agent_id text, p_nonce text, p_signed_at timestamptz, p_at timestamptz, p_deadline timestamptz,
  p_operation text, p_counter text, p_is_reserved boolean, p_status smallint, p_is_preview boolean, p_facts text, p_rate_limit_if_free text,
  p_salt bytea, p_signed_text text, p_signature text, p_body bytea, p_evident text,
  p_commitment bytea, p_public_key text,
  p_kinds text[], p_subjects text[], p_communities text[], p_hidden boolean[], p_recipients text[],
  p_request_id text, p_trace_id text, p_outcome release.outcome
) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
  v_answer jsonb := p_outcome.answer;
  v_is_free boolean := p_outcome.free IS TRUE;
  v_facts text := p_facts;
  v_evidence_id bigint;
  v_counted integer;
BEGIN
  IF clock_timestamp() > p_deadline THEN
    RAISE EXCEPTION USING ERRCODE = 'AF503', HINT = '1', MESSAGE = 'arrived too late';
  END IF;
  IF v_is_free THEN
    v_facts := (p_facts::jsonb || v_answer || jsonb_build_object('rateLimit', p_rate_limit_if_free::jsonb))::text;
  ELSIF v_answer IS NOT NULL THEN
    v_facts := (p_facts::jsonb || v_answer)::text;
  END IF;
  IF p_nonce IS NOT NULL AND NOT p_is_preview THEN
    INSERT INTO write_receipts (agent_id, nonce, signed_at, operation, counter, status, facts, created_at)
    VALUES (p_agent_id, p_nonce, p_signed_at, p_operation, CASE WHEN NOT v_is_free THEN p_counter END, p_status, v_facts,
            p_at)
    ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      RAISE EXCEPTION USING ERRCODE = 'AF401', MESSAGE = 'replayed';
    END IF;
  END IF;
  IF p_counter IS NOT NULL AND NOT v_is_free AND NOT p_is_reserved THEN
    RAISE EXCEPTION USING ERRCODE = 'AF429', MESSAGE = 'nothing left of the allowance';
  END IF;
  IF p_salt IS NOT NULL AND NOT v_is_free AND NOT p_is_preview THEN
    v_evidence_id := nextval('public.evidence_ids');
    INSERT INTO write_evidence (evidence_id, accepted_at, agent_id, operation, salt, signed_text, signature, body, facts,
                                public_key)
    VALUES (v_evidence_id, p_at, p_agent_id, p_operation, p_salt, p_signed_text, p_signature, p_body, p_evident,
            p_public_key);
    INSERT INTO log_pending (pending_id, accepted_at, commitment) VALUES (v_evidence_id, p_at, p_commitment);
  END IF;
  IF p_kinds IS NOT NULL AND NOT v_is_free THEN
    v_counted := release.write_events(p_kinds, p_subjects, p_communities, p_hidden, p_recipients, p_at, p_request_id,
                                      p_trace_id, p_outcome);
  END IF;
  RETURN v_answer;
END $$;
