import type { Knex } from 'knex';

/** Settings that all processes share, the outbox, and the sums that are folded from it. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE settings (
  name text PRIMARY KEY,
  value text NOT NULL
);

-- Effects on others: a row in the writer's own transaction, consumed exactly once by apply_outbox (contract 13).
-- A queue: almost everything in it is dead soon, and every look at it walks over what is not yet cleaned away.
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
  -- Who is to be told, where the writer knows; otherwise delivery finds the recipient through the subject.
  recipient text,
  -- Until when a relay has handed the row to the queue; -infinity: not yet.
  lease_until timestamptz NOT NULL DEFAULT '-infinity'
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

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
`);
}
