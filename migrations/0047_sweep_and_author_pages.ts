import type { Knex } from 'knex';

/** Beside the service at work. */
export const config = { transaction: false };

/**
 * What the sweep of inboxes is found by; and authors who are taken to have written much: for one who has written a
 * little, sorting all of it looks as cheap as walking an index that stops after a page, and the plan is the same for all.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS inbox_heads_to_sweep');
  await knex.raw('CREATE INDEX CONCURRENTLY inbox_heads_to_sweep ON inbox_heads (sweep_at)');
  for (const table of ['posts', 'replies', 'findings']) {
    await knex.raw(`ALTER TABLE ${table} ALTER COLUMN author_id SET (n_distinct = 100)`);
    await knex.raw(`ANALYZE ${table} (author_id)`);
  }
}
