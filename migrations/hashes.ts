import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type pg from 'pg';

/** A change of a database. */
export interface Migration {
  /** Runs in its own transaction by default. An index that is built concurrently cannot. */
  readonly config?: { readonly transaction: boolean };
  up(knex: Knex): Promise<void>;
}

const TABLE = `CREATE TABLE IF NOT EXISTS migration_hashes (
  name text PRIMARY KEY,
  hash text NOT NULL
)`;

/** The hash that release 1.1.0 stored for the migration that has the name of the baseline. */
const OF_RELEASE_1_1: Readonly<Record<string, string>> = {
  '0068_schema_of_tables': 'p-YFsCCqw5DSZjXei3Xw5pUpT1vbnLlYnEbRBwXeoEU',
};

/** base64url SHA-256 over the statements of a migration, which are the same in TypeScript and in the compiled files. */
async function hashOfMigration(migration: Migration): Promise<string> {
  const hash = createHash('sha256');
  const recorder = { raw: async (text: string) => void hash.update(`${text}\0`) };
  await migration.up(recorder as unknown as Knex);
  return hash.digest('base64url');
}

/**
 * Throws if a migration was edited after it ran in this database. Stores the hashes of migrations that ran since the
 * last check.
 */
export async function checkHashes(
  client: pg.Client,
  migrations: Readonly<Record<string, Migration>>,
  applied: readonly string[],
): Promise<void> {
  await client.query(TABLE);
  const { rows } = await client.query<{ name: string; hash: string }>('SELECT name, hash FROM migration_hashes');
  const known = new Map(rows.map(({ name, hash }) => [name, hash]));
  for (const name of applied) {
    const migration = migrations[name];
    // A later release ran it here.
    if (!migration) continue;
    const hash = await hashOfMigration(migration);
    const ran = known.get(name) ?? hash;
    if (ran !== hash && ran !== OF_RELEASE_1_1[name])
      throw new Error(`${name} was edited after it ran on this database. Restore the file, and add a new migration`);
    if (!known.has(name)) await client.query('INSERT INTO migration_hashes (name, hash) VALUES ($1, $2)', [name, hash]);
  }
}
