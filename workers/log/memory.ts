import { hash } from 'node:crypto';
import { access, constants, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../src/config.ts';
import { makeFolder } from '../../src/platform/files/folders.ts';
import { StartupError } from '../../src/platform/startupError.ts';
import { type Head, openCheckpointBy, parseVerifierKey, type Verifier } from '../../src/protocol/note.ts';

/** The last signed head outside the database, by which a restored database is noticed (docs/log#when-it-stops). */
export class LogMemory {
  readonly #directory: string;
  readonly #path: string;
  readonly #keys: readonly Verifier[];

  /** `keys` are the current and all former keys of the log. */
  constructor(directory: string, keys: readonly Verifier[]) {
    this.#directory = directory;
    this.#keys = keys;
    this.#path = join(directory, `${hash('sha256', keys[0]!.name).slice(0, 16)}.note`);
  }

  /** Undefined if there is no file. Throws unless a key of the log signed the head. */
  async read(): Promise<(Head & { readonly note: string }) | undefined> {
    const note = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    return note === undefined ? undefined : { ...openCheckpointBy(note, this.#keys), note };
  }

  async remember(note: string): Promise<void> {
    await makeFolder(this.#directory, 0o700);
    const fresh = `${this.#path}.new`;
    const file = await open(fresh, 'w', 0o600);
    try {
      await file.writeFile(note);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(fresh, this.#path);
    const directory = await open(this.#directory, 'r');
    await directory.sync().finally(() => directory.close());
  }
}

/**
 * Throws `StartupError` if this configuration cannot sign a log: a witness is invalid, or LOG_MEMORY_DIR is not
 * writable.
 */
export async function requireLog({ log: { signingKey, memoryDir, witnesses } }: Config): Promise<void> {
  if (signingKey === undefined) return;
  const wrong = witnesses.findIndex(({ verifierKey, url }) => !parseVerifierKey(verifierKey) || !URL.canParse(url));
  if (wrong !== -1)
    throw new StartupError(
      `Entry ${wrong + 1} of LOG_WITNESSES is not a verifier key and a URL. Correct or remove it.`,
    );
  try {
    await makeFolder(memoryDir!, 0o700);
    await access(memoryDir!, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartupError(
      `LOG_MEMORY_DIR is not writable (${code}). Name a directory that belongs to the user of the worker.`,
    );
  }
}
