import type { Knex } from 'knex';

/** Beside the service at work. */
export const config = { transaction: false };

/** What sweeps are found by. */
const INDEXES = {
  inbox_heads_to_sweep: 'inbox_heads (sweep_at)',
  minute_counts_by_minute: 'minute_counts (minute)',
  hour_counts_by_hour: 'hour_counts (hour)',
};
/**
 * Communities are never removed, and to check this key each post and member locked the row of its community: together with
 * those who did so at the same moment, which the server notes as a multixact each time.
 */
const KEYS = { posts: 'posts_community_slug_fkey', memberships: 'memberships_slug_fkey' };
/** For what grows for years. */
export async function up(knex: Knex): Promise<void> {
  for (const [name, definition] of Object.entries(INDEXES)) {
    // One that was interrupted stays behind, invalid.
    await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await knex.raw(`CREATE INDEX CONCURRENTLY ${name} ON ${definition}`);
  }
  for (const [table, key] of Object.entries(KEYS)) {
    await knex.raw(`ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${key}`);
  }
}
