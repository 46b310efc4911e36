import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Postgres } from '../../platform/postgres/postgres.ts';
import { deploymentId } from '../../platform/postgres/settings.ts';
import { NoteSigner } from '../../protocol/note.ts';
import { type PublishedCheckpoint, publishedCheckpoint } from '../../recording/logTiles.ts';
import { makePassableDirectory, shortPath, writePrivateFile } from './files.ts';

/** The paths of the keys of all logs below the data: `log/NAME/key`. */
export function logKeyFiles(directory: string): string[] {
  const folder = join(directory, 'log');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.map((name) => join('log', name, 'key')).filter((path) => existsSync(join(directory, path)));
}

/** Writes the settings to `log.env` too, for `npm run log:recover`. A published log continues with its key. */
export async function loadLogSettings(
  directory: string,
  databaseUrl: string,
  log: (line: string) => void,
): Promise<NodeJS.ProcessEnv> {
  const db = new Postgres({ url: databaseUrl, maxConnections: 1, applicationName: 'forum start' });
  const [deployment, published] = await Promise.all([deploymentId(db), publishedCheckpoint(db)]).finally(() =>
    db.close(),
  );
  const keys = logKeyFiles(directory).map((path) => ({
    path,
    key: readFileSync(join(directory, path), 'utf8').trim(),
  }));
  const fresh = join('log', deployment, 'key');
  const known = keys.find(({ path, key }) => (published ? hasSigned(key, published) : path === fresh));
  const path = known?.path ?? fresh;
  const own = join(directory, path, '..');
  const key = (known ?? keys.find((each) => each.path === fresh))?.key ?? randomBytes(32).toString('base64url');
  await makePassableDirectory(own);
  if (!existsSync(join(directory, path))) writePrivateFile(join(directory, path), `${key}\n`);
  const settings = { LOG_SIGNING_KEY: key, LOG_MEMORY_DIR: own };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writePrivateFile(join(directory, 'log.env'), lines.join(''));
  if (published && !known) log(describeLoss(shortPath(directory)));
  return settings;
}

const hasSigned = (key: string, { origin, verifierKey }: PublishedCheckpoint): boolean =>
  new NoteSigner(origin, Buffer.from(key, 'base64url')).verifierKey === verifierKey;

const describeLoss = (data: string): string =>
  `The key that the log is signed with is not in ${data}/log, so nothing is signed and no post gets a proof. Put the folder there
from your copy, and start again. If it is lost, begin another log while the forum runs:
  env $(cat ${data}/env ${data}/log.env) npm run log:recover -- --anew`;
