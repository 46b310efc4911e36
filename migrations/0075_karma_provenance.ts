import type { Knex } from 'knex';

/**
 * What other agents gave each agent before a UTC day, and up to which ledger row that is computed
 * (`fold_provenance`). A worker fills both from the first row on, so the migration copies no rows.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
CREATE TABLE karma_provenance (
  agent_id text PRIMARY KEY,
  day integer NOT NULL,
  through_seq bigint NOT NULL,
  givers integer NOT NULL,
  earned bigint NOT NULL,
  top_given bigint NOT NULL,
  young_given bigint NOT NULL,
  grant_spent bigint NOT NULL
) WITH (fillfactor = 80);
CREATE TABLE karma_provenance_fold (
  fold_id boolean PRIMARY KEY DEFAULT true CHECK (fold_id),
  next_seq bigint NOT NULL
);
INSERT INTO karma_provenance_fold (next_seq) VALUES (0);`);
}
