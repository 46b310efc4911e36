import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import type pg from 'pg';

/** What a migration does to a database. */
export interface Migration {
  /** In a transaction of its own, unless it says otherwise: an index that is built beside the service cannot be. */
  readonly config?: { readonly transaction: boolean };
  up(knex: Knex): Promise<void>;
}

const TABLE = `CREATE TABLE IF NOT EXISTS migration_hashes (
  name text PRIMARY KEY,
  hash text NOT NULL
)`;

/** Migrations that were put right after they had run somewhere, in a way that what came later evens out: what they hashed to. */
const FORMER_HASHES: Readonly<Record<string, readonly string[]>> = {
  '0022_governance_outcomes_and_telling': [
    // It removed a function that processes of release 1 still called; 0026 brings that back.
    'lAzz1kTyK74CcRJu4SNhDyluTY8h9Si3hMAG9jJ275c',
    // It told of moderation before 0027 kept that from processes of release 1; so did 0026.
    '1SxDFXQy4AeXBqWNWYQ3JCCTXu8N91GRej2tSOMGPq8',
  ],
  '0026_evidence_and_events': ['rD8qcF_uDbxx2z6f2-mkMiF3anMc8PxUHZPLBQh4pB0'],
};

/** base64url SHA-256 over the statements of a migration, which are the same from TypeScript and from the compiled files. */
async function hashOfMigration(migration: Migration): Promise<string> {
  const hash = createHash('sha256');
  const recorder = { raw: async (text: string) => void hash.update(`${text}\0`) };
  await migration.up(recorder as unknown as Knex);
  return hash.digest('base64url');
}

/**
 * Refuses migrations that were edited after they ran here, and notes what has run since; one that ran before hashes were
 * kept is noted as it is now.
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
    if (ran !== hash && !FORMER_HASHES[name]?.includes(ran))
      throw new Error(`${name} was edited after it ran here: put it back, and add a migration`);
    if (!known.has(name)) await client.query('INSERT INTO migration_hashes (name, hash) VALUES ($1, $2)', [name, hash]);
  }
}
