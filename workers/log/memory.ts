import { hash } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../src/platform/files/folders.ts';
import { type Head, openCheckpointBy, type Verifier } from '../../src/protocol/note.ts';

/**
 * The last head that was signed, kept in a file outside the database: who signs compares with it first, so that a database
 * that was put back is noticed (docs/log#when-it-stops).
 */
export class LogMemory {
  readonly #directory: string;
  readonly #path: string;
  readonly #keys: readonly Verifier[];

  /** `keys` are all that the log has or had. */
  constructor(directory: string, keys: readonly Verifier[]) {
    this.#directory = directory;
    this.#keys = keys;
    this.#path = join(directory, `${hash('sha256', keys[0]!.name).slice(0, 16)}.note`);
  }

  /** Undefined when nothing is remembered. Throws when what is there is not a head that a key of the log signed. */
  async read(): Promise<(Head & { readonly note: string }) | undefined> {
    const note = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    return note === undefined ? undefined : { ...openCheckpointBy(note, this.#keys), note };
  }

  /** Returns when it is on disk. */
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
