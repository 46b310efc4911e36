import type { Knex } from 'knex';

/**
 * Write receipts under (agent, nonce), and the gate that every signed write passes (docs/reconcile,
 * docs/limits#how-a-charge-is-made).
 *
 * An admission is one JSON object made by the pipeline: agentId, nonce, signedAt, at, operation, counter (null: free),
 * reserved, fence, status, preview. The SQLSTATEs that the pipeline knows: AF401 replayed, AF403 suspended,
 * AF429 nothing left, AFFEN admitted before the counters were rebuilt.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE write_receipts (
  agent_id text NOT NULL REFERENCES agents,
  nonce text NOT NULL,
  signed_at timestamptz NOT NULL,
  operation text NOT NULL,
  counter text,
  status smallint NOT NULL,
  -- What reads cannot rebuild: ids and figures, never text that somebody wrote.
  facts text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (agent_id, nonce)
);
CREATE INDEX write_receipts_charged ON write_receipts (agent_id, created_at) WHERE counter IS NOT NULL;
CREATE INDEX write_receipts_by_age ON write_receipts (created_at);

-- Locks the writer against suspension and against a rebuild of its counters until the transaction ends.
CREATE FUNCTION enter_write(p_admission jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  state agent_states%ROWTYPE;
BEGIN
  SELECT * INTO state FROM agent_states WHERE agent_id = p_admission->>'agentId' FOR SHARE;
  IF state.suspended THEN
    RAISE EXCEPTION USING ERRCODE = 'AF403', MESSAGE = 'suspended';
  END IF;
  IF state.fence <> (p_admission->>'fence')::integer THEN
    RAISE EXCEPTION USING ERRCODE = 'AFFEN', MESSAGE = 'admitted before the counters were rebuilt';
  END IF;
END $$;

-- Stores the receipt; the last word on replays and on the allowance.
CREATE FUNCTION record_write(p_admission jsonb, p_facts text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT (p_admission->>'preview')::boolean THEN
    INSERT INTO write_receipts (agent_id, nonce, signed_at, operation, counter, status, facts, created_at)
    VALUES (p_admission->>'agentId', p_admission->>'nonce', (p_admission->>'signedAt')::timestamptz,
            p_admission->>'operation', p_admission->>'counter', (p_admission->>'status')::smallint, p_facts,
            (p_admission->>'at')::timestamptz)
    ON CONFLICT DO NOTHING;
    IF NOT FOUND THEN
      RAISE EXCEPTION USING ERRCODE = 'AF401', MESSAGE = 'replayed';
    END IF;
  END IF;
  IF p_admission->>'counter' IS NOT NULL AND NOT (p_admission->>'reserved')::boolean THEN
    RAISE EXCEPTION USING ERRCODE = 'AF429', MESSAGE = 'nothing left of the allowance';
  END IF;
END $$;

-- Both at once, for writes that are one statement.
CREATE FUNCTION accept_write(p_admission jsonb, p_facts text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM enter_write(p_admission);
  PERFORM record_write(p_admission, p_facts);
END $$;
`);
}
