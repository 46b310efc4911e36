import { access, constants } from 'node:fs/promises';
import type { Config } from '../../src/config.ts';
import { makeFolder } from '../../src/platform/files/folders.ts';
import { StartupError } from '../../src/platform/startupError.ts';
import { parseVerifierKey } from '../../src/protocol/note.ts';

/** Throws `StartupError` where a log of this configuration could never be signed, which nobody would notice before a write waits. */
export async function requireLog({ log: { signingKey, memoryDir, witnesses } }: Config): Promise<void> {
  if (signingKey === undefined) return;
  const wrong = witnesses.findIndex(({ verifierKey, url }) => !parseVerifierKey(verifierKey) || !URL.canParse(url));
  if (wrong !== -1)
    throw new StartupError(
      `LOG_WITNESSES has no verifier key and address in place ${wrong + 1}: correct or remove it.`,
    );
  try {
    await makeFolder(memoryDir!, 0o700);
    await access(memoryDir!, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartupError(`LOG_MEMORY_DIR cannot be written (${code}): it must be a directory of the worker's own.`);
  }
}
