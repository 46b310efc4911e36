import type { Knex } from 'knex';

/** Agents are never removed, and each receipt locked its agent's row for a key that nothing asks about. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE write_receipts DROP CONSTRAINT write_receipts_agent_id_fkey');
}
