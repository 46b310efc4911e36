-- One write as the pipeline sends it, in the columns of its JSON object (`recordOf` of `pipeline/write.ts`).
CREATE TYPE release.write AS (
  agent_id text,
  -- Null: the write carries its signature in its input. It has no nonce, no receipt and no write guard.
  nonce text,
  signed_at timestamptz,
  accepted_at timestamptz,
  -- The write fails after this time, by the clock of the database.
  deadline timestamptz,
  operation text,
  -- The allowance that the write is charged to; null: none.
  counter text,
  -- True when admission control reserved one unit of the allowance.
  reserved boolean,
  status smallint,
  preview boolean,
  facts text,
  rate_limit_if_unchanged text,
  -- Evidence for the transparency log; a null salt means that none is stored.
  salt bytea,
  signed_text text,
  signature text,
  body text,
  evident text,
  commitment bytea,
  public_key text,
  -- Events for the outbox: an array of {kind, subject, community, hidden, recipient}.
  events jsonb,
  request_id text,
  trace_id text,
  -- What the write guard compares with the state of the agent.
  fence integer,
  key_epoch integer,
  later_key text,
  -- The parameters of the effect.
  effect jsonb
);
