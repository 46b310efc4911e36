import type { Knex } from 'knex';

/** Built beside the service at work: an index that is made inside a transaction locks its table against every write. */
export const config = { transaction: false };

/**
 * Finds an author's posts with the same title and body (`repeated_post`). By a hash, so that an entry is short
 * and a post that repeats nothing reads no row.
 */
export async function up(knex: Knex): Promise<void> {
  // One that was interrupted stays behind, invalid.
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS posts_by_text');
  await knex.raw(
    `CREATE INDEX CONCURRENTLY posts_by_text ON posts
     (hashtextextended(body, hashtextextended(title, hashtextextended(author_id, 0))), post_id)`,
  );
}
