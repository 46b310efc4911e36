import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Postgres } from '../platform/postgres/postgres.ts';
import { deploymentId } from '../platform/postgres/settings.ts';
import { makePassableDirectory, readIfPresent, writePrivateFile } from './files.ts';

/**
 * The settings of the worker's log for the deployment that a migrated database is: its key, made on the first start (mode
 * 0600), and where it remembers what it signed. A fresh database begins a new log.
 */
export async function loadLogSettings(directory: string, databaseUrl: string): Promise<NodeJS.ProcessEnv> {
  const db = new Postgres({ url: databaseUrl, maxConnections: 1, applicationName: 'forum start' });
  const deployment = await deploymentId(db).finally(() => db.close());
  const own = join(directory, 'log', deployment);
  for (const path of [join(directory, 'log'), own]) await makePassableDirectory(path);
  const keyFile = join(own, 'key');
  const kept = await readIfPresent(keyFile);
  const key = kept?.trim() ?? randomBytes(32).toString('base64url');
  if (kept === undefined) writePrivateFile(keyFile, `${key}\n`);
  return { LOG_SIGNING_KEY: key, LOG_MEMORY_DIR: own };
}
