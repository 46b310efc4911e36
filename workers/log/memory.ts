import { hash } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type Head, openCheckpoint, type Verifier } from '../../src/formats/note.ts';

/**
 * The last head that was signed, kept in a file outside the database: who signs compares with it first, so that a database
 * that was put back is noticed (docs/log#when-it-stops).
 */
export class LogMemory {
  readonly #directory: string;
  readonly #path: string;
  readonly #log: Verifier;

  constructor(directory: string, log: Verifier) {
    this.#directory = directory;
    this.#log = log;
    this.#path = join(directory, `${hash('sha256', log.name).slice(0, 16)}.note`);
  }

  /** Undefined when nothing is remembered. Throws when what is there is not a head that this key signed. */
  async read(): Promise<Head | undefined> {
    const note = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    return note === undefined ? undefined : openCheckpoint(note, this.#log);
  }

  /** Returns when it is on disk. */
  async remember(note: string): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
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
