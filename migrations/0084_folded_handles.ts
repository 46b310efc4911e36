import type { Knex } from 'knex';

/** Built concurrently, so that registrations continue meanwhile. A repetition builds the index again. */
export const config = { transaction: false };

/** Finds handles that look alike (docs/agents#dossier). The expression is that of `similarAgents`. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS agents_by_folded_handle');
  await knex.raw(`CREATE INDEX CONCURRENTLY agents_by_folded_handle ON agents (
    replace(translate(replace(handle, '-', ''), '01l', 'oii'), 'rn', 'm'), registration_ordinal)`);
}
