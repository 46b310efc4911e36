import type { Knex } from 'knex';

/** The meter (docs/meter): reservations, grants, runs and their receipts. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
-- The sum of all grants of a UTC day; its row is locked by whoever grants, so that a race cannot overdraw it.
CREATE TABLE meter_days (
  day text COLLATE "C" PRIMARY KEY,
  reserved_tokens bigint NOT NULL
);

CREATE TABLE meter_grants (
  agent_id text NOT NULL REFERENCES agents,
  day text COLLATE "C" NOT NULL REFERENCES meter_days,
  token_allowance integer NOT NULL CHECK (token_allowance BETWEEN 1 AND 20000),
  model text NOT NULL,
  fixture_hash text NOT NULL,
  granted_at timestamptz NOT NULL,
  -- The run that consumed it, whatever became of that run.
  run_id text COLLATE "C" UNIQUE,
  PRIMARY KEY (agent_id, day)
);

-- A probe under way. claim: the one worker that may call the vendor; nobody ever claims a run again. progress: what has
-- been sent and answered so far, as JSON text, written before and after each call. lease_until: when the worker counts
-- as dead, unless it got further.
CREATE TABLE meter_runs (
  run_id text COLLATE "C" PRIMARY KEY,
  agent_id text NOT NULL,
  day text COLLATE "C" NOT NULL,
  task text NOT NULL,
  model text NOT NULL,
  fixture_hash text NOT NULL,
  token_allowance integer NOT NULL,
  progress text NOT NULL,
  claim text,
  lease_until timestamptz,
  ended boolean NOT NULL DEFAULT false,
  FOREIGN KEY (agent_id, day) REFERENCES meter_grants
);
CREATE INDEX meter_runs_claimed ON meter_runs (lease_until) WHERE claim IS NOT NULL AND NOT ended;

-- Immutable. receipt: the canonical JSON that the signature covers. Rows without run_id are older than run ids: they are
-- unsigned and left out of the ledger (interface 2.7).
CREATE TABLE meter_receipts (
  agent_id text NOT NULL REFERENCES agents,
  day text COLLATE "C" NOT NULL,
  run_id text COLLATE "C" UNIQUE,
  receipt text NOT NULL,
  signature text,
  signing_public_key text,
  minted_at timestamptz NOT NULL,
  PRIMARY KEY (agent_id, day),
  CHECK ((signature IS NULL) = (signing_public_key IS NULL)),
  CHECK (run_id IS NOT NULL OR signature IS NULL)
);
CREATE INDEX meter_receipts_ledger ON meter_receipts (minted_at DESC, run_id DESC) WHERE run_id IS NOT NULL;
CREATE INDEX meter_receipts_of_agent ON meter_receipts (agent_id, minted_at DESC, run_id DESC) WHERE run_id IS NOT NULL;

-- Reserves the allowance in the day's sum and makes the one grant of the agent for that day.
CREATE FUNCTION grant_meter(
  p_admission jsonb, p_facts text, p_agent_id text, p_day text, p_token_allowance integer, p_model text,
  p_fixture_hash text, p_daily_tokens bigint, p_at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM enter_write(p_admission);
  IF NOT EXISTS (SELECT FROM agents WHERE agent_id = p_agent_id) THEN
    RAISE EXCEPTION USING ERRCODE = 'AF404', MESSAGE = 'no such agent';
  END IF;
  INSERT INTO meter_days (day, reserved_tokens) VALUES (p_day, 0) ON CONFLICT DO NOTHING;
  UPDATE meter_days SET reserved_tokens = reserved_tokens + p_token_allowance
  WHERE day = p_day AND reserved_tokens + p_token_allowance <= p_daily_tokens;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF423', MESSAGE = 'nothing left of the daily reservation';
  END IF;
  INSERT INTO meter_grants (agent_id, day, token_allowance, model, fixture_hash, granted_at)
  VALUES (p_agent_id, p_day, p_token_allowance, p_model, p_fixture_hash, p_at)
  ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF423', MESSAGE = 'granted already';
  END IF;
  PERFORM record_write(p_admission, p_facts);
END $$;

-- Consumes the day's grant and asks for the run; of many at once one finds the grant unused.
CREATE FUNCTION request_meter_run(
  p_admission jsonb, p_facts text, p_run_id text, p_agent_id text, p_day text, p_task text, p_model text,
  p_fixture_hash text, p_progress text, p_at timestamptz
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_token_allowance integer;
BEGIN
  PERFORM enter_write(p_admission);
  UPDATE meter_grants SET run_id = p_run_id
  WHERE agent_id = p_agent_id AND day = p_day AND run_id IS NULL AND model = p_model AND fixture_hash = p_fixture_hash
  RETURNING token_allowance INTO v_token_allowance;
  IF NOT FOUND THEN
    RAISE EXCEPTION USING ERRCODE = 'AF423', MESSAGE = 'no unused grant';
  END IF;
  PERFORM record_write(p_admission, p_facts);
  INSERT INTO meter_runs (run_id, agent_id, day, task, model, fixture_hash, token_allowance, progress)
  VALUES (p_run_id, p_agent_id, p_day, p_task, p_model, p_fixture_hash, v_token_allowance, p_progress);
  INSERT INTO outbox (kind, subject, hidden, occurred_at) VALUES ('meter.probe', p_run_id, true, p_at);
END $$;

-- Hands the run to one worker, once and for all: the outbox row is the token, and it is gone with the claim, so that
-- neither a stalled job nor the relay can bring the run back. No row: it was claimed before.
CREATE FUNCTION claim_meter_run(p_outbox_id bigint, p_run_id text, p_claim text, p_lease_seconds double precision)
RETURNS SETOF meter_runs LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM outbox WHERE outbox_id = p_outbox_id AND kind = 'meter.probe' AND subject = p_run_id;
  IF FOUND THEN
    RETURN QUERY UPDATE meter_runs
    SET claim = p_claim, lease_until = clock_timestamp() + make_interval(secs => p_lease_seconds)
    WHERE run_id = p_run_id AND claim IS NULL RETURNING *;
  END IF;
END $$;

-- Ends a run with its receipt: by the worker that claimed it, or, with p_lost, by whoever finds that its lease ran out.
-- False: it has ended, or got further meanwhile.
CREATE FUNCTION mint_meter_receipt(
  p_run_id text, p_claim text, p_lost boolean, p_receipt text, p_signature text, p_signing_public_key text,
  p_minted_at timestamptz
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_run meter_runs%ROWTYPE;
BEGIN
  UPDATE meter_runs SET ended = true
  WHERE run_id = p_run_id AND claim = p_claim AND NOT ended AND (NOT p_lost OR lease_until < clock_timestamp())
  RETURNING * INTO v_run;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  INSERT INTO meter_receipts (agent_id, day, run_id, receipt, signature, signing_public_key, minted_at)
  VALUES (v_run.agent_id, v_run.day, p_run_id, p_receipt, p_signature, p_signing_public_key, p_minted_at);
  RETURN true;
END $$;
`);
}
