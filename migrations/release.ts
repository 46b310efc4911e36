import type pg from 'pg';
import { inRelease, RELEASE, SQL_SOURCES } from '../src/platform/postgres/release.ts';

/** Types first, because functions are declared with them. Views last, because they may call functions. */
const KINDS = ['TYPE', 'FUNCTION', 'VIEW'];
/**
 * A release that was not seen for this long is not in use. Its processes record every minute that they run
 * (`heartbeat.ts`).
 */
const UNSEEN_HOURS = 24;
/** An operator may go back to these, however long they were not seen. */
const KEPT = 2;

const kindOf = (text: string): string => {
  const [, kind] = /^CREATE (\w+) release\./m.exec(text) ?? [];
  if (!kind || !KINDS.includes(kind)) throw new Error(`neither type, function nor view: ${text.slice(0, 80)}`);
  return kind;
};

/**
 * Loads the functions, views and types of this release into their own schema, beside those of releases that still run.
 * Does nothing if they are loaded. One transaction, so that a process sees the whole release or nothing of it.
 */
export async function loadRelease(client: pg.Client): Promise<void> {
  const { rows } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [RELEASE]);
  if (rows.length > 0) return;
  const sources = KINDS.flatMap((kind) => SQL_SOURCES.filter(({ text }) => kindOf(text) === kind));
  await client.query('BEGIN');
  try {
    await client.query(`CREATE SCHEMA ${RELEASE}`);
    // Functions call each other, so their bodies are only checked after all are loaded.
    await client.query('SET LOCAL check_function_bodies = off');
    for (const source of sources) await load(client, source.path, inRelease(source.text));
    await client.query('SET LOCAL check_function_bodies = on');
    for (const { path, text } of sources) {
      if (kindOf(text) !== 'FUNCTION') continue;
      await load(client, path, inRelease(text).replace(/^CREATE FUNCTION/m, 'CREATE OR REPLACE FUNCTION'));
    }
    await client.query(`SELECT ${RELEASE}.create_evidence_months(clock_timestamp(), 2)`);
    await client.query(`SELECT ${RELEASE}.create_receipt_days(clock_timestamp(), 4)`);
    await client.query(
      'INSERT INTO public.releases (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET seen_at = DEFAULT',
      [RELEASE],
    );
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

async function load(client: pg.Client, path: string, text: string): Promise<void> {
  await client.query(text).catch((error: Error) => {
    throw new Error(`src/${path}: ${error.message}`, { cause: error });
  });
}

/** Drops the schemas of releases that no process uses. Runs before migrations, because views could block these. */
export async function dropUnusedReleases(client: pg.Client): Promise<void> {
  const { rows: known } = await client.query("SELECT FROM pg_class WHERE oid = to_regclass('releases')");
  if (known.length === 0) return;
  const { rows } = await client.query<{ name: string }>(
    `SELECT name FROM (SELECT name, seen_at FROM releases WHERE name <> $1 ORDER BY seen_at DESC OFFSET $2) others
     WHERE seen_at < clock_timestamp() - make_interval(hours => $3)`,
    [RELEASE, KEPT - 1, UNSEEN_HOURS],
  );
  for (const { name } of rows) {
    await client.query(`DROP SCHEMA IF EXISTS ${name} CASCADE`);
    await client.query('DELETE FROM releases WHERE name = $1', [name]);
  }
}
