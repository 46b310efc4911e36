import type { Knex } from 'knex';

/** The index is built concurrently. In a transaction, its creation would lock the table against every write. */
export const config = { transaction: false };

/**
 * Finds an author's posts with the same title and body (`repeated_post`). The index stores a hash, so that entries are
 * short and a new text reads no row.
 */
export async function up(knex: Knex): Promise<void> {
  // An interrupted run leaves an invalid index.
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS posts_by_text');
  await knex.raw(
    `CREATE INDEX CONCURRENTLY posts_by_text ON posts
     (hashtextextended(body, hashtextextended(title, hashtextextended(author_id, 0))), post_id)`,
  );
}
