import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chown, lchown, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { makePassableDirectory } from './files.ts';

const run = promisify(execFile);

/** The user that runs the servers, because PostgreSQL refuses to run as root. */
export interface Account {
  uid: number;
  gid: number;
}

export interface Place {
  directory: string;
  /** Contains data and logs. The account can enter it. */
  home: string;
  cacheDirectory: string;
  account: Account | undefined;
}

export async function choosePlace({
  directory,
  ...options
}: Pick<Place, 'directory'> & Partial<Place>): Promise<Place> {
  const account = await chooseAccount(directory);
  const home = await enterableDirectory(directory, account);
  const cacheDirectory = await enterableDirectory(resolve(options.cacheDirectory ?? directory), account);
  return { directory, home, cacheDirectory, account };
}

/**
 * Undefined for the current user. Root uses the owner of the data, else the user who called sudo, else `postgres`, else
 * `nobody`.
 */
export async function chooseAccount(directory: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = (await ownerOfData(directory)) ?? (await ownerOfData(substituteFor(directory)));
  if (owner) return owner;
  const sudoUid = Number(process.env.SUDO_UID ?? 0);
  if (sudoUid > 0) return { uid: sudoUid, gid: Number(process.env.SUDO_GID ?? sudoUid) };
  const account = (await lookUp('postgres')) ?? (await lookUp('nobody'));
  if (!account)
    throw new Error(
      'PostgreSQL refuses to run as root, and the users postgres and nobody do not exist: run this as another user',
    );
  return account;
}

/**
 * Creates a directory that the account can enter: the given one, or a substitute below /var/lib if its parents are
 * closed.
 */
export async function enterableDirectory(directory: string, account: Account | undefined): Promise<string> {
  await makePassableDirectory(directory);
  if (!account || (await canRun('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], account))) return directory;
  const substitute = substituteFor(directory);
  await makePassableDirectory(dirname(substitute));
  await makePassableDirectory(substitute);
  return substitute;
}

export function substituteFor(directory: string): string {
  const hash = createHash('sha256').update(directory).digest('hex').slice(0, 12);
  const name = basename(dirname(directory)).replace(/[^\w-]+/g, '');
  return join('/var/lib/agent-forum', `${name}-${hash}`);
}

export async function canRun(file: string, args: string[], account: Account | undefined): Promise<boolean> {
  return run(file, args, { ...account, cwd: '/', timeout: 10_000 }).then(
    () => true,
    () => false,
  );
}

/** Makes the account the owner of a directory and everything in it. */
export async function giveAway(directory: string, account: Account): Promise<void> {
  await chown(directory, account.uid, account.gid);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await giveAway(path, account);
    else await lchown(path, account.uid, account.gid);
  }
}

/** The owner of the first directory in `directory` that does not belong to root. */
async function ownerOfData(directory: string): Promise<Account | undefined> {
  for (const entry of await readdir(directory, { withFileTypes: true }).catch(() => [])) {
    const { uid, gid } = await stat(join(directory, entry.name));
    if (entry.isDirectory() && uid !== 0) return { uid, gid };
  }
  return undefined;
}

async function lookUp(name: string): Promise<Account | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}
