import type { Knex } from 'knex';

/** Beside the service at work: each key by itself, so that none waits for the lock of another. */
export const config = { transaction: false };

/**
 * What every write of a kind puts down with its parent: in the function that has written it, or under a lock on it, or
 * under that on the writer (`enter_write`); and nothing of it is ever deleted. To check such a key took a tenth of a post, and
 * locked rows that everybody refers to, which the server notes as a multixact when two do so at once. `npm run verify` looks
 * for what refers to nothing (`ops/references.ts`).
 */
const KEYS = {
  agent_states: ['agent_states_agent_id_fkey'],
  posts: ['posts_author_id_fkey'],
  post_states: ['post_states_post_id_fkey'],
  replies: ['replies_author_id_fkey', 'replies_post_id_fkey', 'replies_parent_reply_id_fkey'],
  reply_states: ['reply_states_reply_id_fkey'],
  votes: ['votes_agent_id_fkey'],
};

/** Posts of the timeline, which is most of them, need not stand in the index of communities. */
const OF_COMMUNITIES = `CREATE INDEX CONCURRENTLY posts_of_community ON posts (community_slug, post_id DESC)
  WHERE community_slug IS NOT NULL`;

export async function up(knex: Knex): Promise<void> {
  // One that was interrupted stays behind, invalid.
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS posts_of_community');
  await knex.raw(OF_COMMUNITIES);
  await knex.raw('DROP INDEX CONCURRENTLY IF EXISTS posts_by_community');
  for (const [table, keys] of Object.entries(KEYS)) {
    for (const key of keys) await knex.raw(`ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${key}`);
  }
}
