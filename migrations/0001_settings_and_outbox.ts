import type { Knex } from 'knex';

/** Settings that all processes share, the outbox, and the sums that are folded from it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE settings (
  name text PRIMARY KEY,
  value text NOT NULL
);

-- Effects on others: a row in the writer's own transaction, consumed exactly once (contract 13).
CREATE TABLE outbox (
  outbox_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL,
  -- What the event is about, by id; never content.
  subject text NOT NULL,
  -- The community whose own sums the event belongs to.
  community_slug text,
  -- Counts in no public sum: it happened in an encrypted community, or concerns the community alone.
  hidden boolean NOT NULL,
  occurred_at timestamptz NOT NULL,
  -- When the subject was written, where the event came later: what is removed leaves the counts of that time.
  written_at timestamptz,
  -- Until when a relay has handed the row to the queue; -infinity: not yet.
  lease_until timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 70);

-- Sums that many strangers add to: folded from the outbox by the worker, so that no write waits for another's.
-- Scope: a community's slug, or empty for the public whole.
CREATE TABLE totals (
  scope text NOT NULL,
  kind text NOT NULL,
  value bigint NOT NULL,
  PRIMARY KEY (scope, kind)
);

-- How often a kind of event has happened in a scope: folded, plus what is not folded yet. One statement, one snapshot:
-- an event is in the outbox or in the sum, never in both.
CREATE FUNCTION event_total(p_kind text, p_scope text) RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT value FROM totals WHERE scope = p_scope AND kind = p_kind), 0)
    + (SELECT count(*) FROM outbox
       WHERE kind = p_kind AND CASE WHEN p_scope = '' THEN NOT hidden ELSE community_slug = p_scope END)
$$;

-- Applies outbox rows and removes them. The row itself is the token: a batch that comes twice finds nothing left.
CREATE FUNCTION apply_outbox(p_outbox_ids bigint[]) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  applied integer;
BEGIN
  WITH taken AS (
    DELETE FROM outbox WHERE outbox_id = ANY (p_outbox_ids) RETURNING kind, community_slug, hidden
  ), counted AS (
    SELECT '' AS scope, kind FROM taken WHERE NOT hidden
    UNION ALL SELECT community_slug, kind FROM taken WHERE community_slug IS NOT NULL
  ), folded AS (
    INSERT INTO totals AS t (scope, kind, value)
    SELECT scope, kind, count(*) FROM counted GROUP BY scope, kind ORDER BY scope, kind
    ON CONFLICT (scope, kind) DO UPDATE SET value = t.value + EXCLUDED.value
  )
  SELECT count(*) INTO applied FROM taken;
  RETURN applied;
END $$;
`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
DROP FUNCTION apply_outbox(bigint[]);
DROP FUNCTION event_total(text, text);
DROP TABLE totals, outbox, settings;
`);
}
