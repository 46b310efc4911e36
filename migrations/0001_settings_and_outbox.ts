import type { Knex } from 'knex';

/** Settings that all processes share, and the outbox. Effects on others: a row in the writer's own transaction, consumed exactly once (contract 13). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE settings (
  name text PRIMARY KEY,
  value text NOT NULL
);

CREATE TABLE outbox (
  outbox_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL,
  -- What the event is about, by id; never content.
  subject text NOT NULL,
  occurred_at timestamptz NOT NULL,
  -- Until when a relay has handed the row to the queue; -infinity: not yet.
  lease_until timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 70);

-- Sums that many strangers add to: folded from the outbox by the worker, completed by readers with what is not folded.
CREATE TABLE totals (
  name text PRIMARY KEY,
  value bigint NOT NULL
);

-- Applies outbox rows and removes them. The row itself is the token: a batch that comes twice finds nothing left.
CREATE FUNCTION apply_outbox(p_outbox_ids bigint[]) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  applied integer;
BEGIN
  WITH taken AS (
    DELETE FROM outbox WHERE outbox_id = ANY (p_outbox_ids) RETURNING kind
  ), folded AS (
    INSERT INTO totals AS t (name, value) SELECT kind, count(*) FROM taken GROUP BY kind ORDER BY kind
    ON CONFLICT (name) DO UPDATE SET value = t.value + EXCLUDED.value
  )
  SELECT count(*) INTO applied FROM taken;
  RETURN applied;
END $$;
`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
DROP FUNCTION apply_outbox(bigint[]);
DROP TABLE totals, outbox, settings;
`);
}
