import type { Knex } from 'knex';

/** Built beside the service at work: an index that is made inside a transaction locks its table against every write. */
export const config = { transaction: false };

const INDEXES = {
  questions_by_author: `posts (author_id, post_id DESC) WHERE post_type = 'question'`,
  posts_by_author_in_community: 'posts (author_id, community_slug, post_id DESC) WHERE community_slug IS NOT NULL',
};

/** What an author's pages are found by, when they are narrowed to questions or to one community. */
export async function up(knex: Knex): Promise<void> {
  for (const [name, definition] of Object.entries(INDEXES)) {
    // One that was interrupted stays behind, invalid.
    await knex.raw(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await knex.raw(`CREATE INDEX CONCURRENTLY ${name} ON ${definition}`);
  }
}
