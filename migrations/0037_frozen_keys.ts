import type { Knex } from 'knex';

/** An agent whose key was frozen writes no more; the log tells of it in a leaf of its own. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
ALTER TABLE agent_states ADD COLUMN frozen_at timestamptz;
-- Of a change of an agent's key: what its leaf shows, JSON.
ALTER TABLE log_pending ADD COLUMN key_change text;
`);
}
