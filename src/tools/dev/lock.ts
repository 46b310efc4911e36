import { stat, unlink, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { readIfPresent } from './files.ts';
import { identify, isRunning, type ProcessIdentity } from './processes.ts';

const waitAtMostMs = 180_000;
/** A lock file is made and written in one go. */
const WRITTEN_MS = 2_000;

/** Runs `work` while no other process runs work under the same lock file. A lock whose holder has died is void. */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const self = JSON.stringify(await identify());
  const deadline = Date.now() + waitAtMostMs;
  while (!(await take(path, self))) {
    if (Date.now() > deadline) throw new Error(`Another process has held ${path} for three minutes`);
    await sleep(50);
  }
  try {
    return await work();
  } finally {
    await unlink(path);
  }
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

/** One at a time, and looked at once more: who saw the same dead holder before would remove the lock of the next one. */
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
  const holder = parseIdentity(text);
  return holder ? !(await isRunning(holder)) : (await ageMs(path)) > WRITTEN_MS;
}

/** Undefined of one that was not written to its end: it was made a moment ago, or its maker died before. */
function parseIdentity(text: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(text) as ProcessIdentity;
  } catch {
    return undefined;
  }
}

async function ageMs(path: string): Promise<number> {
  return Date.now() - (await stat(path).then(({ mtimeMs }) => mtimeMs, Date.now));
}
