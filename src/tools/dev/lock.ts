import { realpath, stat, unlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readIfPresent } from './files.ts';
import { identify, isRunning, type ProcessIdentity } from './processes.ts';

const MOST_WAIT_MS = 180_000;
/** An empty lock file that is older was left by a process that died while it wrote it. */
const WRITTEN_MS = 2_000;

/** No other process starts or stops servers during `work`, which gets the real path: it identifies a running server. */
export async function withDirectoryLock<T>(directory: string, work: (path: string) => Promise<T>): Promise<T> {
  const path = await realpath(resolve(directory));
  return withLock(join(path, 'services.lock'), () => work(path));
}

/** Runs `work` while no other process runs work with the same lock file. The lock of a dead process is void. */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const self = JSON.stringify(await identify());
  const deadline = Date.now() + MOST_WAIT_MS;
  while (!(await take(path, self))) {
    if (Date.now() > deadline) throw new Error(`Another process has held ${path} for three minutes`);
    await sleep(50);
  }
  return work().finally(() => unlink(path));
}

async function take(path: string, self: string): Promise<boolean> {
  try {
    await writeFile(path, self, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  if (await isAbandoned(path)) await removeAbandoned(path, self);
  return false;
}

/** Checks the lock again under a second lock, because another process may have replaced it since the first check. */
async function removeAbandoned(path: string, self: string): Promise<void> {
  const own = `${path}.abandoned`;
  if (!(await take(own, self))) return;
  try {
    if (await isAbandoned(path)) await unlink(path);
  } finally {
    await unlink(own);
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const text = await readIfPresent(path);
  if (text === undefined) return false;
  let holder: ProcessIdentity;
  try {
    holder = JSON.parse(text);
  } catch {
    const writtenAt = await stat(path).then(({ mtimeMs }) => mtimeMs, Date.now);
    return Date.now() - writtenAt > WRITTEN_MS;
  }
  return !(await isRunning(holder));
}
