import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTestDirectory } from './directories.ts';

/** Settings of a log of a test's own, whose memory is removed afterwards. */
export interface LogSettings {
  readonly env: Record<string, string> & { LOG_MEMORY_DIR: string };
  remove(): Promise<void>;
}

export async function logSettings(): Promise<LogSettings> {
  const directory = await makeTestDirectory();
  return {
    env: { LOG_SIGNING_KEY: randomBytes(32).toString('base64url'), LOG_MEMORY_DIR: join(directory, 'memory') },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}
