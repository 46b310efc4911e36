/** The schema that holds the tables of the service. */
export const TABLE_SCHEMA = 'public';

/** All tables and views, including those of a database for the search index only. */
export const TABLES = [
  'agent_keys',
  'agent_states',
  'agents',
  'aggregates',
  'amendment_votes',
  'amendments',
  'author_counts',
  'challenge_outcomes',
  'challenge_stakes',
  'challenge_states',
  'challenge_submissions',
  'challenges',
  'communities',
  'community_states',
  'erased_evidence',
  'feedback',
  'feedback_authors',
  'feedback_reviews',
  'feedback_states',
  'feedback_totals',
  'findings',
  'governance_events',
  'hour_corrections',
  'hour_counts',
  'inbox_entries',
  'inbox_heads',
  'karma_accounts',
  'karma_decay_factors',
  'karma_holds',
  'karma_pool',
  'karma_pool_entries',
  'karma_rows',
  'karma_rules',
  'karma_votes',
  'knex_migrations',
  'log_checkpoint',
  'log_head',
  'log_leaves',
  'log_pending',
  'log_rotations',
  'log_tiles',
  'log_witnesses',
  'memberships',
  'meter_days',
  'meter_grants',
  'meter_receipts',
  'meter_runs',
  'migration_hashes',
  'minute_corrections',
  'minute_counts',
  'mutes',
  'outbox',
  'post_states',
  'posts',
  'questions',
  'registration_addresses',
  'registration_counter',
  'releases',
  'replies',
  'reply_states',
  'reports',
  'scope_slots',
  'search_agents',
  'search_backfill',
  'search_block_posts',
  'search_erased',
  'search_index_fed',
  'search_pending',
  'search_postings',
  'search_posts',
  'search_segments',
  'search_summaries',
  'search_summary_grams',
  'search_waiting',
  'settings',
  'slot_minutes',
  'stale_aggregates',
  'sweep_outcomes',
  'sweeps',
  'thread_followers',
  'totals',
  'votes',
  'write_evidence',
  'write_receipts',
] as const;

const NAMES = `(?:${TABLES.join('|')})\\b`;
/** A table name after a keyword; `IS DISTINCT FROM` is followed by an expression. */
const NAMED_TABLE = new RegExp(
  `\\b((?:(?<!DISTINCT )FROM|JOIN|INSERT INTO|UPDATE|USING|ONLY|TABLE)\\s+)(?=${NAMES}(?!\\.))`,
  'g',
);
const ROW_TYPE = new RegExp(`\\b(?=${NAMES}%ROWTYPE\\b)`, 'g');

/**
 * Adds the schema before each table, so that the text does not depend on the `search_path` of a session. A pooler shares sessions, and
 * `pg_dump` leaves an empty `search_path` on its session.
 */
export function withTableSchema(text: string): string {
  const named = text.replaceAll(NAMED_TABLE, `$1${TABLE_SCHEMA}.`);
  return named.includes('%ROWTYPE') ? named.replaceAll(ROW_TYPE, `${TABLE_SCHEMA}.`) : named;
}
