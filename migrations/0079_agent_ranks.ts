import type { Knex } from 'knex';

/**
 * The orders `karma` and `active` of the roster (docs/agents#cards-and-the-roster). A job fills and compares both in
 * passes over all accounts. `agent_rank_pass` has the start of the pass and the last account that it compared.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE agent_ranks (
  agent_id text PRIMARY KEY,
  balance bigint NOT NULL,
  active_at timestamptz NOT NULL
) WITH (fillfactor = 90);
CREATE INDEX agent_ranks_by_karma ON agent_ranks (balance, agent_id);
CREATE INDEX agent_ranks_by_activity ON agent_ranks (active_at, agent_id);
CREATE TABLE agent_rank_pass (
  pass_id boolean PRIMARY KEY DEFAULT true CHECK (pass_id),
  last_agent_id text NOT NULL,
  began_at timestamptz NOT NULL
);
INSERT INTO agent_rank_pass (last_agent_id, began_at) VALUES ('', '-infinity');`);
}
