import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientBase } from 'pg';
import { RELEASE } from '../../src/platform/postgres/release.ts';
import { filesLoadedBy, root } from './affected.ts';
import { asAdmin, databaseUrlNamed } from './database.ts';

const PREFIX = 'forum_template_';
/** Two runs can ask one server for a template at once. */
const LOCK_KEY = 5_107_290;
/** Other runs on the same server may still copy templates of other states of the migrations. */
const KEPT_TEMPLATES = 5;

/**
 * Makes the migrated database that `createDatabase` copies, on the server of TEST_DATABASE_URL. The name of this
 * template contains a hash of the migrations, so a server that already has it keeps it.
 */
export async function createTemplate(): Promise<void> {
  const name = `${PREFIX}${hashOfSchema()}`;
  await asAdmin(async (admin) => {
    await admin.query('SELECT pg_advisory_lock($1)', [LOCK_KEY]);
    try {
      if (await isComplete(admin, name)) return;
      await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await admin.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8'`);
      // Loaded only here: most runs find the template, and need no migration.
      const { migrateLatest } = await import('../../migrations/run.ts');
      await migrateLatest(databaseUrlNamed(name));
      // A connection to the template would make every copy wait. This also marks the template as complete.
      await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
      await dropOldTemplates(admin);
    } finally {
      await admin.query('SELECT pg_advisory_unlock($1)', [LOCK_KEY]);
    }
  });
  process.env.TEST_DATABASE_TEMPLATE = name;
}

/** Hashes everything that decides what the migrations make: their code and the SQL of the release. */
function hashOfSchema(): string {
  const hash = createHash('sha256').update(RELEASE);
  for (const file of [...filesLoadedBy('migrations/run.ts')].sort()) {
    hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex').slice(0, 12);
}

async function isComplete(admin: ClientBase, name: string): Promise<boolean> {
  const { rowCount } = await admin.query('SELECT FROM pg_database WHERE datname = $1 AND NOT datallowconn', [name]);
  return rowCount === 1;
}

async function dropOldTemplates(admin: ClientBase): Promise<void> {
  const { rows } = await admin.query<{ datname: string }>(
    `SELECT datname FROM pg_database WHERE starts_with(datname, $1) ORDER BY oid DESC OFFSET $2`,
    [PREFIX, KEPT_TEMPLATES],
  );
  for (const { datname } of rows) {
    // A template that is being copied stays until a later call.
    await admin.query(`DROP DATABASE IF EXISTS ${datname}`).catch(() => undefined);
  }
}
