import { StartupError } from '../../platform/startupError.ts';
import { loadDump } from './dump.ts';
import { checkFiles, type Manifest } from './manifest.ts';
import { ask, withConnection } from './origin.ts';

/**
 * Takes from a restored database the name that it has in Redis (docs/operations#sharing-a-redis); the next start draws another. What Redis
 * holds under the old one knows of writes that are gone, and belongs to the original where that still runs. Its log may have been signed
 * further than it knows: it is halted until somebody says how far (docs/log#when-it-stops).
 */
export const RENEW_DEPLOYMENT = `WITH halted AS (
    UPDATE log_head SET halted = 'the database was restored' WHERE EXISTS (SELECT FROM log_checkpoint)
  ) DELETE FROM settings WHERE name = 'deployment_id'`;

const COUNT_TABLES = `SELECT count(*)::integer AS tables FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'`;

/** Reads a dump into the database at `url`; throws `StartupError` unless that is empty. */
export async function restoreDatabase(directory: string, manifest: Manifest, url: string): Promise<void> {
  const { major, tables } = await withConnection(url, async (client) => ({
    ...(await ask<{ major: string }>(
      client,
      `SELECT (current_setting('server_version_num')::integer / 10000)::text AS major`,
    )),
    ...(await ask<{ tables: number }>(client, COUNT_TABLES)),
  }));
  if (tables > 0) throw new StartupError('The database that DATABASE_URL names is not empty: nothing was restored.');
  if (Number(major) < Number(manifest.postgres.major)) {
    throw new StartupError(
      `The backup is of PostgreSQL ${manifest.postgres.major}, the server that DATABASE_URL names of ${major}.`,
    );
  }
  checkFiles(directory, manifest);
  await loadDump(url, major, directory);
  await withConnection(url, async (client) => {
    await client.query(RENEW_DEPLOYMENT);
    // A dump has no statistics, and without them whole tables are read for a page, until the server finds the time.
    await client.query('ANALYZE');
  });
}
