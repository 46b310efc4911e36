import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Knex } from 'knex';
import pg from 'pg';
import { asksForPrimary, hostUrls, SEVERAL_HOSTS } from '../src/platform/hostUrls.ts';
import { DEADLOCK_DETECTED, QUERY_CANCELED } from '../src/platform/postgres/errors.ts';
import { primaryUrl } from '../src/platform/postgres/primary.ts';
import { TABLE_SCHEMA } from '../src/platform/postgres/tables.ts';
import { exitWith, ignoreClosedOutput, StartupError } from '../src/platform/startupError.ts';
import { loadEnvFile, readSecret } from '../src/start/envFile.ts';
import { requireUtf8, startFailure } from '../src/start/startFailure.ts';
import * as baseline from './0068_baseline.ts';
import * as postsThatRepeat from './0069_posts_that_repeat.ts';
import * as withoutRelease1 from './0070_without_release_1.ts';
import * as firstConstitution from './0071_first_constitution.ts';
import * as agentActivity from './0072_agent_activity.ts';
import * as supersededFindings from './0073_superseded_findings.ts';
import * as watches from './0074_watches.ts';
import * as karmaProvenance from './0075_karma_provenance.ts';
import * as days from './0076_days.ts';
import * as countedDays from './0077_counted_days.ts';
import * as postRanks from './0078_post_ranks.ts';
import * as agentRanks from './0079_agent_ranks.ts';
import * as watchGrams from './0080_watch_grams.ts';
import * as strangerMentions from './0081_stranger_mentions.ts';
import * as provenanceStart from './0082_provenance_start.ts';
import * as challengeLists from './0083_challenge_lists.ts';
import * as foldedHandles from './0084_folded_handles.ts';
import * as moderators from './0085_moderators.ts';
import * as openBounties from './0086_open_bounties.ts';
import * as erasedAgents from './0087_erased_agents.ts';
import * as solvers from './0089_solvers.ts';
import { checkHashes, type Migration } from './hashes.ts';
import { dropUnusedReleases, loadRelease } from './release.ts';
import * as searchIndex from './search/0001_search_index.ts';
import * as joinedSegmentsThere from './search/0002_joined_segments.ts';
import { requireOwnSession, storeSessionSettings, WITHOUT_LIMITS } from './sessions.ts';
import { yieldingToOthers } from './yielding.ts';

type Migrations = Readonly<Record<string, Migration>>;

/**
 * All migrations in order. A migration that ran anywhere is never edited or moved. There is no way back: the next
 * migration corrects a wrong schema, because undoing one would delete what agents wrote. The baseline creates the
 * schema of release 1.1.0 in an empty database. It has the name of the last migration of that release, so a database of
 * 1.1.0 already has it.
 */
const MIGRATIONS: Migrations = {
  '0068_schema_of_tables': baseline,
  '0069_posts_that_repeat': postsThatRepeat,
  '0070_without_release_1': withoutRelease1,
  '0071_first_constitution': firstConstitution,
  '0072_agent_activity': agentActivity,
  '0073_superseded_findings': supersededFindings,
  '0074_watches': watches,
  '0075_karma_provenance': karmaProvenance,
  '0076_days': days,
  '0077_counted_days': countedDays,
  '0078_post_ranks': postRanks,
  '0079_agent_ranks': agentRanks,
  '0080_watch_grams': watchGrams,
  '0081_stranger_mentions': strangerMentions,
  '0082_provenance_start': provenanceStart,
  '0083_challenge_lists': challengeLists,
  '0084_folded_handles': foldedHandles,
  '0085_moderators': moderators,
  '0086_open_bounties': openBounties,
  '0087_erased_agents': erasedAgents,
  '0089_solvers': solvers,
};

/** The migrations that an up-to-date database has applied. */
export const MIGRATION_NAMES: readonly string[] = Object.keys(MIGRATIONS);

/** As `MIGRATIONS`, for a database that has only the search index. */
const SEARCH_MIGRATIONS: Migrations = {
  '0001_search_index': searchIndex,
  '0002_joined_segments': joinedSegmentsThere,
};
export const SEARCH_MIGRATION_NAMES: readonly string[] = Object.keys(SEARCH_MIGRATIONS);

/** A list instead of a folder, so that names are the same in TypeScript and in the compiled files. */
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
  'SEARCH_DATABASE_URL names the database of a forum. Name a separate database for the search index, or remove the setting.';
const INDEX_THERE =
  'DATABASE_URL names a database that contains only a search index. Name the database of the forum, and the index in SEARCH_DATABASE_URL.';
const LOCK_KEY = 5_107_201;
/** The migration yielded to others, or processes of the previous release locked tables in another order. */
const BUSY = [QUERY_CANCELED, DEADLOCK_DETECTED];
/** Attempts of each migration. */
const ATTEMPTS = 200;
const PAUSE_MS = 500;
/** Errors are thrown, and a lock that is not free is not worth a line. */
const SILENT = { warn: () => {}, error: () => {}, deprecate: () => {}, debug: () => {} };

/** The result of a run. */
export interface MigrationReport {
  readonly applied: readonly string[];
  /** Migrations of later releases that the database has and this release does not know. */
  readonly ahead: readonly string[];
}

/** Applies the migrations; returns the names of those that were applied. */
export async function migrateLatest(databaseUrl: string, migrations: Migrations = MIGRATIONS): Promise<string[]> {
  return [...(await migrate(databaseUrl, migrations)).applied];
}

/**
 * Migrates the database to the newest schema, loads the functions of this release beside those of others, and stores
 * the session settings of its role. If a later release has migrated the database, it runs no migration: it loads the
 * functions and stores the settings, so that an operator can go back to this release.
 * Several runs may start at once: an advisory lock lets one migrate while the others wait. The lock ends with its
 * connection, so a crash leaves none. Knex's own lock is a row that would stay; the holder of the advisory lock may
 * free it.
 * Rejects a migration that was edited after it ran. Tests pass other `migrations`.
 */
async function migrate(databaseUrl: string, migrations: Migrations): Promise<MigrationReport> {
  // Loaded here, because processes that only read the names of migrations do not need it.
  const { default: knex } = await import('knex');
  // Both sessions must be on one server, whatever happens meanwhile.
  const connectionString = await primaryUrl(databaseUrl);
  const lock = new pg.Client({ connectionString });
  const sessions = new Set<number>();
  const afterCreate = (connection: pg.Client & { processID: number }, done: (error: Error) => void) => {
    sessions.add(connection.processID);
    void connection.query(WITHOUT_LIMITS, done);
  };
  const pool = { min: 0, max: 2, afterCreate };
  const database = knex({ client: 'pg', connection: connectionString, pool, log: SILENT });
  await lock.connect();
  try {
    const setting = migrations === SEARCH_MIGRATIONS ? 'SEARCH_DATABASE_URL' : 'DATABASE_URL';
    await requireOwnSession(lock, setting);
    await requireTableSchema(lock, setting);
    await lock.query(WITHOUT_LIMITS);
    await lock.query('SELECT pg_advisory_lock($1)', [LOCK_KEY]);
    const before = await readApplied(lock);
    requireFirst(before, migrations);
    const ahead = before.filter((name) => !(name in migrations) && name > firstOf(migrations));
    if (ahead.length > 0) requireAllApplied(before, ahead, migrations);
    if (before.length === 0) {
      await requireUtf8({ query: async ({ text }) => (await lock.query(text)).rows }, databaseUrl);
    }
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

/** Throws `StartupError` unless this release or the later one knows every migration that the database needs. */
function requireAllApplied(applied: readonly string[], ahead: readonly string[], migrations: Migrations): void {
  const missing = Object.keys(migrations).filter((name) => !applied.includes(name));
  if (missing.length === 0) return;
  throw new StartupError(
    `The database has migrations that this release does not know (${ahead.join(', ')}), but lacks ${missing.join(', ')}. Migrate with a release that has all of them.`,
  );
}

function throwUnlessBehind(error: unknown, ahead: readonly string[]): never {
  if (ahead.length === 0 || !(error instanceof Error)) throw error;
  throw new StartupError(
    `A later release has migrated this database (${ahead.join(', ')}), and the functions of this release do not work with it: ${error.message}. Run that release, or the one before it.`,
    { cause: error },
  );
}

/** Migrates a database for the search index to its newest schema. */
export async function migrateSearchIndex(databaseUrl: string): Promise<string[]> {
  return migrateLatest(databaseUrl, SEARCH_MIGRATIONS);
}

/** Throws `StartupError` if tables would be created in another schema than the one that statements name. */
async function requireTableSchema(client: pg.Client, setting: string): Promise<void> {
  const { rows } = await client.query<{ schema: string | null }>('SELECT current_schema() AS schema');
  const { schema } = rows[0]!;
  // Without a schema PostgreSQL itself refuses.
  if (schema === null || schema === TABLE_SCHEMA) return;
  throw new StartupError(
    `The tables of a forum must be in the schema ${TABLE_SCHEMA}, but the search_path of the role in ${setting} begins with ${schema}. Change it to begin with ${TABLE_SCHEMA}. Move tables out of ${schema} with ALTER TABLE … SET SCHEMA ${TABLE_SCHEMA}.`,
  );
}

const firstOf = (migrations: Migrations): string => Object.keys(migrations)[0]!;

/**
 * Throws `StartupError` unless the database is empty or has the first of these migrations. It may be a forum instead
 * of a search index, a search index instead of a forum, or a forum of a release before 1.1.0.
 */
function requireFirst(applied: readonly string[], migrations: Migrations): void {
  if (applied.length === 0 || applied.includes(firstOf(migrations))) return;
  if (migrations === SEARCH_MIGRATIONS) throw new StartupError(FORUM_THERE);
  if (applied.includes(firstOf(SEARCH_MIGRATIONS))) throw new StartupError(INDEX_THERE);
  throw new StartupError(
    `The database is from a release before 1.1.0 (its last migration is ${applied.at(-1)}). Upgrade it to release 1.1.0 first, then to this release.`,
  );
}

/**
 * Applies the migrations one after the other, each in its own transaction. A single transaction would lock the tables
 * of all migrations and deadlock with reads of several tables. Repeats a migration that yielded to others.
 */
async function applyAll(database: Knex, migrations: Migrations): Promise<void> {
  const migrationSource = sourceOf(migrations);
  // A database of release 1.1.0 has migrations that the baseline has replaced here.
  const config = { migrationSource, disableMigrationsListValidation: true };
  await database.migrate.forceFreeMigrationsLock(config);
  for (let attempt = 1; ; ) {
    try {
      const [, applied] = await database.migrate.up(config);
      if (applied.length === 0) return;
      attempt = 1;
    } catch (error) {
      if (!BUSY.includes((error as { code?: string }).code ?? '') || attempt === ATTEMPTS) throw error;
      attempt += 1;
      await sleep(PAUSE_MS);
      await database.migrate.forceFreeMigrationsLock(config);
    }
  }
}

async function readApplied(client: pg.Client): Promise<string[]> {
  const { rows: there } = await client.query(`SELECT WHERE to_regclass('knex_migrations') IS NOT NULL`);
  if (there.length === 0) return [];
  const { rows } = await client.query<{ name: string }>('SELECT name FROM knex_migrations ORDER BY id');
  return rows.map(({ name }) => name);
}

function readUrl(setting: 'DATABASE_URL' | 'SEARCH_DATABASE_URL'): string | undefined {
  const url = readSecret(process.env, setting);
  const urls = url ? hostUrls(url) : [];
  if (urls.length > 1 && !asksForPrimary(url!)) throw new StartupError(`${setting} ${SEVERAL_HOSTS}.`);
  if (urls.some((each) => !/^postgres(?:ql)?:/.test(each) || !URL.canParse(each))) {
    throw new StartupError(
      `${setting} is not an address of PostgreSQL. Its form is postgres://ROLE:PASSWORD@HOST/DATABASE`,
    );
  }
  return url || undefined;
}

function describeReport({ applied, ahead }: MigrationReport): string {
  if (ahead.length > 0)
    return `A later release has migrated this database (${ahead.join(', ')}). No migration was run. The functions of this release are loaded.`;
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
    console.log('The database of the search index is created. Run npm run search:rebuild to fill it.');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main().catch(exitWith);
