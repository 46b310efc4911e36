import type { Knex } from 'knex';

/**
 * When each agent wrote last, and up to which leaf of the log that is known (`fold_activity`). A worker fills both from
 * the first leaf on, so the migration copies no rows.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE agent_activity (
  agent_id text PRIMARY KEY,
  last_write_at timestamptz NOT NULL
) WITH (fillfactor = 80);
CREATE INDEX agent_activity_by_time ON agent_activity (last_write_at DESC, agent_id DESC);
CREATE TABLE activity_fold (
  fold_id boolean PRIMARY KEY DEFAULT true CHECK (fold_id),
  next_leaf bigint NOT NULL
);
INSERT INTO activity_fold (next_leaf) VALUES (0);`);
}
