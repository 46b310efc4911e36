import { MIGRATION_NAMES, SEARCH_MIGRATION_NAMES } from '../../migrations/run.ts';
import type { Config } from '../config.ts';
import { type Db, noRows, sql, sqlState } from '../platform/postgres/postgres.ts';
import { RELEASE } from '../platform/postgres/release.ts';
import { StartupError } from '../platform/startupError.ts';
import { requireUtf8, startFailure } from '../start/startFailure.ts';
import { missingSettings, requireKeptNames } from './sessions.ts';

const MIGRATED = sql(
  'ops.migrated',
  "SELECT name FROM knex_migrations UNION ALL SELECT nspname FROM pg_namespace WHERE nspname LIKE 'release%'",
);
const UNDEFINED_TABLE = '42P01';
/** Fails on a standby and in a read-only session, and waits for no lock. */
const tryWrite = noRows('ops.askForWrites', 'SELECT FROM knex_migrations LIMIT 1 FOR KEY SHARE');

/** `ok`, or what the database lacks of this release's schema. */
export async function readSchemaState(db: Db): Promise<string> {
  const applied = await readApplied(db);
  const state = stateOf(applied, MIGRATION_NAMES);
  return state !== 'ok' || applied.includes(RELEASE) ? state : 'functions of this release missing';
}

export const readIndexSchemaState = async (index: Db): Promise<string> =>
  stateOf(await readApplied(index), SEARCH_MIGRATION_NAMES);

async function readApplied(db: Db): Promise<string[]> {
  const rows = await db.query<{ name: string }>(MIGRATED).catch((error: unknown) => {
    if (sqlState(error) === UNDEFINED_TABLE) return [];
    throw error;
  });
  return rows.map(({ name }) => name);
}

function stateOf(applied: readonly string[], migrations: readonly string[]): string {
  const missing = migrations.filter((name) => !applied.includes(name));
  if (missing.length === migrations.length) return 'not migrated';
  return missing.length === 0 ? 'ok' : `${missing.length} migrations missing`;
}

/** Throws `StartupError` if the database is unreachable or unfit, or if a pooler loses named statements. */
export async function requireDatabase(
  db: Db,
  { databaseUrl: url, databaseStatements }: Pick<Config, 'databaseUrl' | 'databaseStatements'>,
  log: { warn(facts: object, message: string): void },
): Promise<void> {
  try {
    if (databaseStatements === 'named') await requireKeptNames(url);
    const state = await readSchemaState(db);
    if (state !== 'ok') throw new StartupError(`The database is not up to date (${state}). Run: npm run migrate`);
    await requireUtf8(db, url);
    const settings = await missingSettings(db);
    if (settings.length > 0)
      log.warn({ settings }, 'session settings are missing: run npm run migrate as the role of the service');
  } catch (error) {
    throw startFailure(error, url);
  }
}

/**
 * Throws `StartupError` if a migrated database is read-only. `setting` is the name of the setting that contains `url`.
 */
export async function requireWrites(db: Db, url: string, setting: string): Promise<void> {
  await tryWrite(db).catch((error: unknown) => {
    throw startFailure(error, url, setting);
  });
}
