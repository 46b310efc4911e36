import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Knex } from 'knex';
import pg from 'pg';
import { loadEnvFile, readSecret } from '../src/platform/envFile.ts';
import { requireLocale } from '../src/platform/postgres/locale.ts';
import { requireOwnSession } from '../src/platform/postgres/pooler.ts';
import { storeSessionSettings, WITHOUT_LIMITS } from '../src/platform/postgres/session.ts';
import { DEADLOCK_DETECTED, QUERY_CANCELED } from '../src/platform/postgres/sqlState.ts';
import { startFailure } from '../src/platform/postgres/startFailure.ts';
import { TABLE_SCHEMA } from '../src/platform/postgres/tables.ts';
import { exitWith, ignoreClosedOutput, StartupError } from '../src/platform/startupError.ts';
import * as settingsAndOutbox from './0001_settings_and_outbox.ts';
import * as agents from './0002_agents.ts';
import * as writeReceipts from './0003_write_receipts.ts';
import * as communities from './0004_communities.ts';
import * as posts from './0005_posts.ts';
import * as search from './0006_search.ts';
import * as votes from './0007_votes.ts';
import * as karmaLedger from './0008_karma_ledger.ts';
import * as karmaVotes from './0009_karma_votes.ts';
import * as karmaSettlement from './0010_karma_settlement.ts';
import * as questions from './0011_questions.ts';
import * as challenges from './0012_challenges.ts';
import * as findings from './0013_findings.ts';
import * as inbox from './0014_inbox.ts';
import * as governance from './0015_governance.ts';
import * as meter from './0016_meter.ts';
import * as feedback from './0017_feedback.ts';
import * as moderation from './0018_moderation.ts';
import * as overview from './0019_overview.ts';
import * as pageIndexes from './0020_page_indexes.ts';
import * as votesOneStatement from './0021_votes_one_statement.ts';
import * as governanceOutcomes from './0022_governance_outcomes_and_telling.ts';
import * as inboxHappenedAt from './0023_inbox_happened_at.ts';
import * as exactCounts from './0024_exact_counts.ts';
import * as releases from './0025_releases.ts';
import * as evidenceAndEvents from './0026_evidence_and_events.ts';
import * as inboxEntries from './0027_inbox_entries.ts';
import * as scopeSlots from './0028_scope_slots.ts';
import * as postVersions from './0029_post_versions.ts';
import * as replyVersions from './0030_reply_versions.ts';
import * as eventOrigins from './0031_event_origins.ts';
import * as corrections from './0032_corrections.ts';
import * as mutesAndThreads from './0033_mutes_and_threads.ts';
import * as ownVotesAndFollowers from './0034_own_votes_and_followers.ts';
import * as membersWhoLeft from './0035_members_who_left.ts';
import * as log from './0036_log.ts';
import * as frozenKeys from './0037_frozen_keys.ts';
import * as governanceByKind from './0038_governance_by_kind.ts';
import * as agentKeys from './0039_agent_keys.ts';
import * as erasures from './0040_erasures.ts';
import * as logRotations from './0041_log_rotations.ts';
import * as receiptsWithoutKey from './0042_receipts_without_key.ts';
import * as receiptsByDay from './0043_receipts_by_day.ts';
import * as inboxEnds from './0044_inbox_ends.ts';
import * as growing from './0045_growing.ts';
import * as searchSegments from './0046_search_segments.ts';
import * as publicAuthors from './0047_public_authors.ts';
import * as authorPages from './0048_author_pages.ts';
import * as sumsOfAuthors from './0051_sums_of_authors.ts';
import * as openChallenges from './0052_open_challenges.ts';
import * as publicReplies from './0053_public_replies.ts';
import * as searchSummaries from './0056_search_summaries.ts';
import * as erasedNonces from './0057_erased_nonces.ts';
import * as searchDatabases from './0058_search_databases.ts';
import * as joinedSegments from './0059_joined_segments.ts';
import * as lighterWrites from './0060_lighter_writes.ts';
import * as firstConstitution from './0061_first_constitution.ts';
import * as postsThatWait from './0062_posts_that_wait.ts';
import * as newestOfASlot from './0063_newest_of_a_slot.ts';
import * as schemaOfTables from './0068_schema_of_tables.ts';
import * as postsThatRepeat from './0069_posts_that_repeat.ts';
import { checkHashes, type Migration } from './hashes.ts';
import { dropUnusedReleases, loadRelease } from './release.ts';
import * as searchIndex from './search/0001_search_index.ts';
import * as joinedSegmentsThere from './search/0002_joined_segments.ts';
import { yieldingToOthers } from './yielding.ts';

type Migrations = Readonly<Record<string, Migration>>;

/**
 * All migrations in order. Append only: what has run somewhere is never edited or moved, with two exceptions that `hashes.ts`
 * names. Forward only: a schema that proved wrong is put right by the next one, since what would take it back would take what
 * agents wrote along.
 */
const MIGRATIONS: Migrations = {
  '0001_settings_and_outbox': settingsAndOutbox,
  '0002_agents': agents,
  '0003_write_receipts': writeReceipts,
  '0004_communities': communities,
  '0005_posts': posts,
  '0006_search': search,
  '0007_votes': votes,
  '0008_karma_ledger': karmaLedger,
  '0009_karma_votes': karmaVotes,
  '0010_karma_settlement': karmaSettlement,
  '0011_questions': questions,
  '0012_challenges': challenges,
  '0013_findings': findings,
  '0014_inbox': inbox,
  '0015_governance': governance,
  '0016_meter': meter,
  '0017_feedback': feedback,
  '0018_moderation': moderation,
  '0019_overview': overview,
  '0020_page_indexes': pageIndexes,
  '0021_votes_one_statement': votesOneStatement,
  '0022_governance_outcomes_and_telling': governanceOutcomes,
  '0023_inbox_happened_at': inboxHappenedAt,
  '0024_exact_counts': exactCounts,
  '0025_releases': releases,
  '0026_evidence_and_events': evidenceAndEvents,
  '0027_inbox_entries': inboxEntries,
  '0028_scope_slots': scopeSlots,
  '0029_post_versions': postVersions,
  '0030_reply_versions': replyVersions,
  '0031_event_origins': eventOrigins,
  '0032_corrections': corrections,
  '0033_mutes_and_threads': mutesAndThreads,
  '0034_own_votes_and_followers': ownVotesAndFollowers,
  '0035_members_who_left': membersWhoLeft,
  '0036_log': log,
  '0037_frozen_keys': frozenKeys,
  '0038_governance_by_kind': governanceByKind,
  '0039_agent_keys': agentKeys,
  '0040_erasures': erasures,
  '0041_log_rotations': logRotations,
  '0042_receipts_without_key': receiptsWithoutKey,
  '0043_receipts_by_day': receiptsByDay,
  '0044_inbox_ends': inboxEnds,
  '0045_growing': growing,
  '0046_search_segments': searchSegments,
  '0047_public_authors': publicAuthors,
  '0048_author_pages': authorPages,
  '0051_sums_of_authors': sumsOfAuthors,
  '0052_open_challenges': openChallenges,
  '0053_public_replies': publicReplies,
  '0056_search_summaries': searchSummaries,
  '0057_erased_nonces': erasedNonces,
  '0058_search_databases': searchDatabases,
  '0059_joined_segments': joinedSegments,
  '0060_lighter_writes': lighterWrites,
  '0061_first_constitution': firstConstitution,
  '0062_posts_that_wait': postsThatWait,
  '0063_newest_of_a_slot': newestOfASlot,
  '0068_schema_of_tables': schemaOfTables,
  '0069_posts_that_repeat': postsThatRepeat,
};

/** What an up-to-date database has applied. */
export const MIGRATION_NAMES: readonly string[] = Object.keys(MIGRATIONS);

/** As `MIGRATIONS`, for a database that has the index of search alone. */
const SEARCH_MIGRATIONS: Migrations = {
  '0001_search_index': searchIndex,
  '0002_joined_segments': joinedSegmentsThere,
};
export const SEARCH_MIGRATION_NAMES: readonly string[] = Object.keys(SEARCH_MIGRATIONS);

/** A listed source rather than a folder, so that names are the same from TypeScript and from the compiled files. */
const sourceOf = (migrations: Migrations): Knex.MigrationSource<string> => ({
  getMigrations: async () => Object.keys(migrations),
  getMigrationName: (name) => name,
  getMigration: async (name) => ({
    ...migrations[name]!,
    down: async () => {
      throw new Error('Migrations go forward only');
    },
  }),
});

export const FORUM_THERE =
  'SEARCH_DATABASE_URL leads to the database of a forum: give the index of search a database of its own, or leave it out.';
const INDEX_THERE = 'DATABASE_URL leads to a database that has the index of search alone: see SEARCH_DATABASE_URL.';
const LOCK_KEY = 5_107_201;
/** Others were let through, or whoever has a lock waits for this one: processes of the release before lock in orders of their own. */
const BUSY = [QUERY_CANCELED, DEADLOCK_DETECTED];
/** Of each migration. */
const ATTEMPTS = 200;
const PAUSE_MS = 500;
/** What fails is thrown; a lock that was not to be had is no news. */
const SILENT = { warn: () => {}, error: () => {}, deprecate: () => {}, debug: () => {} };

/** What a run of the migrations did. */
export interface MigrationReport {
  readonly applied: readonly string[];
  /** Migrations of later releases that the database has and this release does not know. */
  readonly ahead: readonly string[];
}

/** As `migrate`; returns the names of the migrations that were applied. */
export async function migrateLatest(databaseUrl: string, migrations: Migrations = MIGRATIONS): Promise<string[]> {
  return [...(await migrate(databaseUrl, migrations)).applied];
}

/**
 * Brings the database to the newest schema, loads the functions of this release beside those of others, and stores what
 * holds for the sessions of its role. On a database that a later release has migrated, it runs no migration: it loads the
 * functions and stores the session settings, so that an operator can go back to this release.
 * Safe when several start at once: an advisory lock lets one of them migrate while the others wait, and goes with its
 * connection, so a crash leaves none behind (knex's own lock is a row that would stay; whoever holds the advisory lock may
 * free it). Refuses a migration that was edited after it ran. `migrations` are others than the service's own in tests.
 */
async function migrate(databaseUrl: string, migrations: Migrations): Promise<MigrationReport> {
  // Whatever serves knows the names of the migrations, and only who migrates needs what carries them out.
  const { default: knex } = await import('knex');
  const lock = new pg.Client({ connectionString: databaseUrl });
  const sessions = new Set<number>();
  const afterCreate = (connection: pg.Client & { processID: number }, done: (error: Error) => void) => {
    sessions.add(connection.processID);
    void connection.query(WITHOUT_LIMITS, done);
  };
  const database = knex({ client: 'pg', connection: databaseUrl, pool: { min: 0, max: 2, afterCreate }, log: SILENT });
  await lock.connect();
  try {
    const setting = migrations === SEARCH_MIGRATIONS ? 'SEARCH_DATABASE_URL' : 'DATABASE_URL';
    await requireOwnSession(lock, setting);
    await requireTableSchema(lock, setting);
    await lock.query(WITHOUT_LIMITS);
    await lock.query('SELECT pg_advisory_lock($1)', [LOCK_KEY]);
    const before = await readApplied(lock);
    requireOwn(before, migrations);
    const ahead = before.filter((name) => !(name in migrations));
    if (ahead.length > 0) requireAllApplied(before, ahead, migrations);
    if (before.length === 0 && migrations !== SEARCH_MIGRATIONS) await checkLocale(lock, databaseUrl);
    await checkHashes(lock, migrations, before);
    if (ahead.length === 0) {
      await dropUnusedReleases(lock);
      await yieldingToOthers(lock, sessions, () => applyAll(database, migrations));
    }
    const after = await readApplied(lock);
    await checkHashes(lock, migrations, after);
    if (migrations === MIGRATIONS) await loadRelease(lock).catch((error: unknown) => throwUnlessBehind(error, ahead));
    await storeSessionSettings(lock);
    return { applied: after.filter((name) => !before.includes(name)), ahead };
  } finally {
    await database.destroy();
    await lock.end();
  }
}

/** Throws `StartupError` where neither release, this one or the later one, knows all that the database needs. */
function requireAllApplied(applied: readonly string[], ahead: readonly string[], migrations: Migrations): void {
  const missing = Object.keys(migrations).filter((name) => !applied.includes(name));
  if (missing.length === 0) return;
  throw new StartupError(
    `The database has migrations that this release does not know (${ahead.join(', ')}) and lacks ${missing.join(', ')}: migrate with a release that has all of them.`,
  );
}

function throwUnlessBehind(error: unknown, ahead: readonly string[]): never {
  if (ahead.length === 0 || !(error instanceof Error)) throw error;
  throw new StartupError(
    `The functions of this release do not fit the database, which a later release has migrated (${ahead.join(', ')}): ${error.message}. Run that release, or the one before it.`,
    { cause: error },
  );
}

/** Brings a database for the index of search to its newest schema, as `migrateLatest` does that of the forum. */
export async function migrateSearchIndex(databaseUrl: string): Promise<string[]> {
  return migrateLatest(databaseUrl, SEARCH_MIGRATIONS);
}

/** Throws `StartupError` where tables would be made in another schema than the one that statements name. */
async function requireTableSchema(client: pg.Client, setting: string): Promise<void> {
  const { rows } = await client.query<{ schema: string | null }>('SELECT current_schema() AS schema');
  const { schema } = rows[0]!;
  // Without any, PostgreSQL itself refuses.
  if (schema === null || schema === TABLE_SCHEMA) return;
  throw new StartupError(
    `The tables of a forum are in the schema ${TABLE_SCHEMA}, and the search_path of the role in ${setting} begins with ${schema}: let it begin with ${TABLE_SCHEMA}. Move tables that are in ${schema} by ALTER TABLE … SET SCHEMA ${TABLE_SCHEMA}.`,
  );
}

/** Throws `StartupError` where a forum stands in the place of an index, or the other way round. */
function requireOwn(applied: readonly string[], migrations: Migrations): void {
  const [first] = Object.keys(migrations === SEARCH_MIGRATIONS ? MIGRATIONS : SEARCH_MIGRATIONS);
  if (applied.includes(first!)) throw new StartupError(migrations === SEARCH_MIGRATIONS ? FORUM_THERE : INDEX_THERE);
}

/**
 * One after the other, each in a transaction of its own: in one for all, each would hold the tables of those before it, and
 * come to a deadlock with reads of several. Again and again where others had to be let through.
 */
async function applyAll(database: Knex, migrations: Migrations): Promise<void> {
  const migrationSource = sourceOf(migrations);
  await database.migrate.forceFreeMigrationsLock({ migrationSource });
  for (let attempt = 1; ; ) {
    try {
      const [, applied] = await database.migrate.up({ migrationSource });
      if (applied.length === 0) return;
      attempt = 1;
    } catch (error) {
      if (!BUSY.includes((error as { code?: string }).code ?? '') || attempt === ATTEMPTS) throw error;
      attempt += 1;
      await sleep(PAUSE_MS);
      await database.migrate.forceFreeMigrationsLock({ migrationSource });
    }
  }
}

async function readApplied(client: pg.Client): Promise<string[]> {
  const { rows: there } = await client.query(`SELECT WHERE to_regclass('knex_migrations') IS NOT NULL`);
  if (there.length === 0) return [];
  const { rows } = await client.query<{ name: string }>('SELECT name FROM knex_migrations ORDER BY id');
  return rows.map(({ name }) => name);
}

/** Throws `StartupError` unless a new database was created as the service needs it; leaves nothing behind. */
async function checkLocale(client: pg.Client, databaseUrl: string): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query('CREATE EXTENSION IF NOT EXISTS pg_trgm');
    await requireLocale({ query: async ({ text }) => (await client.query(text)).rows }, databaseUrl);
  } finally {
    await client.query('ROLLBACK');
  }
}

function readUrl(setting: 'DATABASE_URL' | 'SEARCH_DATABASE_URL'): string | undefined {
  const url = readSecret(process.env, setting);
  if (url && /^[a-z]+:\/\/[^/?#]*,/.test(url)) {
    throw new StartupError(`${setting} names several hosts: give one, the address that leads to the primary.`);
  }
  if (url && (!/^postgres(?:ql)?:/.test(url) || !URL.canParse(url))) {
    throw new StartupError(`${setting} is no address of PostgreSQL: postgres://ROLE:PASSWORD@HOST/DATABASE`);
  }
  return url || undefined;
}

function describeReport({ applied, ahead }: MigrationReport): string {
  if (ahead.length > 0)
    return `A later release has migrated this database (${ahead.join(', ')}): no migration was run, and the functions of this release are loaded.`;
  return applied.length === 0 ? 'The schema is up to date.' : `Migrated: ${applied.join(', ')}`;
}

async function main(): Promise<void> {
  ignoreClosedOutput();
  loadEnvFile();
  const databaseUrl = readUrl('DATABASE_URL');
  if (!databaseUrl) {
    throw new StartupError(
      'DATABASE_URL is not set. Set it: export DATABASE_URL=postgres://ROLE:PASSWORD@HOST/DATABASE',
    );
  }
  const searchUrl = readUrl('SEARCH_DATABASE_URL');
  const report = await migrate(databaseUrl, MIGRATIONS).catch((error: unknown) => {
    throw startFailure(error, databaseUrl);
  });
  console.log(describeReport(report));
  if (!searchUrl) return;
  const appliedThere = await migrateSearchIndex(searchUrl).catch((error: unknown) => {
    throw startFailure(error, searchUrl, 'SEARCH_DATABASE_URL');
  });
  if (appliedThere.includes(SEARCH_MIGRATION_NAMES[0]!))
    console.log('The database of the index of search is made: npm run search:rebuild fills it.');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main().catch(exitWith);
