import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartupError } from '../../platform/startupError.ts';
import { makePassableDirectory, readIfPresent, writePrivateFile } from '../dev/files.ts';
import { createData } from '../dev/ownPostgres.ts';
import { DATA_FOLDER } from './baseCopy.ts';
import { RENEW_DEPLOYMENT } from './dump.ts';
import { copyFile } from './files.ts';
import { checkFiles, type FilesBackup, type Manifest } from './manifest.ts';
import { restoreSegment, WAL_FOLDER } from './wal.ts';

/** Replays the WAL up to a time (RFC 3339). Returns the time of the last commit. Throws if the backup is damaged. */
export async function restoreFiles(
  directory: string,
  manifest: Manifest & FilesBackup,
  data: string,
  time: string | undefined,
): Promise<string> {
  const until = readMoment(time, manifest);
  let lastCommit: string | undefined;
  await createData(data, manifest.postgres.major, async ({ draft, recover }) => {
    checkFiles(directory, manifest);
    const beside = await readBeside(directory, manifest, data);
    await putTogether(directory, manifest, draft);
    lastCommit = lastCommitIn(await recover({ until, statement: RENEW_DEPLOYMENT }));
    if (!until) requireEnd(directory, manifest, lastCommit);
    for (const [name, text] of beside) {
      await makePassableDirectory(dirname(join(data, name)));
      writePrivateFile(join(data, name), text);
    }
  });
  return lastCommit ?? 'before the backup';
}

const lastCommitIn = (log: string): string | undefined =>
  /last completed transaction was at log time (.+)$/m.exec(log)?.[1];

/** Throws if the replay ended before `upTo`, because PostgreSQL takes damaged WAL for its end. */
function requireEnd(directory: string, { upTo }: Manifest, lastCommit = 'nowhere'): void {
  if (Date.parse(lastCommit.replace(' ', 'T').replace(/[+-]\d\d$/, '$&:00')) >= Date.parse(upTo)) return;
  throw new StartupError(
    `The WAL in ${directory} ends at ${lastCommit}, before ${upTo}, so nothing was restored. Give an earlier time with --until.`,
  );
}

/** Copies data and WAL into place, with the file that makes the server recover and begin a new timeline. */
async function putTogether(directory: string, manifest: Manifest & FilesBackup, draft: string): Promise<void> {
  for (const path of manifest.directories) await mkdir(join(draft, path), { mode: 0o700 });
  for (const file of manifest.files) {
    const [folder, ...rest] = file.path.split('/');
    if (folder === WAL_FOLDER) restoreSegment(directory, file, draft, manifest.cluster);
    if (folder === DATA_FOLDER) copyFile(join(directory, file.path), join(draft, ...rest));
  }
  await writeFile(join(draft, 'recovery.signal'), '', { mode: 0o600 });
}

const BESIDE = /^(secrets|operator)\.json$|^log\/[^/]+\/key$/;

/** Reads the files beside the data that are missing in `data`. Throws if one there differs. */
async function readBeside(directory: string, { files }: Manifest, data: string): Promise<[string, string][]> {
  const missing: [string, string][] = [];
  for (const { path: name } of files.filter(({ path }) => BESIDE.test(path))) {
    const text = await readFile(join(directory, name), 'utf8');
    const there = await readIfPresent(join(data, name));
    if (there === undefined) missing.push([name, text]);
    else if (there !== text) {
      throw new StartupError(
        `${join(data, name)} differs from the file in the backup. Move it away, or restore to another directory.`,
      );
    }
  }
  return missing;
}

/** Parses a time within the backup. The time zone is required. */
function readMoment(text: string | undefined, { cluster, upTo }: Manifest & FilesBackup): Date | undefined {
  if (text === undefined) return undefined;
  const moment = /(Z|[+-]\d\d:?\d\d)$/.test(text) ? new Date(text) : new Date(Number.NaN);
  if (moment >= new Date(cluster.consistentAt) && moment <= new Date(upTo)) return moment;
  throw new StartupError(`--until must be a time between ${cluster.consistentAt} and ${upTo}, with a time zone.`);
}
