import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeFolder } from '../../platform/files/folders.ts';
import { StartupError } from '../../platform/startupError.ts';
import {
  type ExportFile,
  fileName,
  type ListedFile,
  MANIFEST_FILE,
  type Manifest,
} from '../../protocol/exportFormat.ts';

/** Characters. */
const AT_ONCE = 65_536;

/** A folder that an export is written to: beside its place until it is whole. */
export class ExportFolder {
  readonly #path: string;
  readonly #partial: string;
  readonly #files: ListedFile[] = [];

  /** Throws StartupError where something is already. */
  constructor(path: string) {
    this.#path = resolve(path);
    // Of its own: another export may be on its way to the same place.
    this.#partial = `${this.#path}.${randomBytes(4).toString('hex')}.partial`;
    if (existsSync(this.#path)) throw new StartupError(`${path} is there already.`);
  }

  get files(): readonly ListedFile[] {
    return this.#files;
  }

  /** Begins from nothing, also after an attempt that failed. Throws StartupError where no folder can be made. */
  async begin(): Promise<void> {
    this.#files.length = 0;
    await this.discard();
    await makeFolder(this.#partial).catch((error: NodeJS.ErrnoException) => {
      throw new StartupError(`${this.#path} cannot be written (${error.code}).`, { cause: error });
    });
  }

  /** Writes rows as they come, a line each, and keeps no more of them in memory than is written at once. */
  async write(file: ExportFile, rows: AsyncIterable<object>): Promise<void> {
    const name = fileName(file);
    const hash = createHash('sha256');
    const handle = await open(join(this.#partial, name), 'w');
    let [count, bytes, lines] = [0, 0, ''];
    const flush = async () => {
      const written = Buffer.from(lines);
      hash.update(written);
      bytes += written.length;
      lines = '';
      await handle.appendFile(written);
    };
    try {
      for await (const row of rows) {
        lines += `${JSON.stringify(row)}\n`;
        count += 1;
        if (lines.length > AT_ONCE) await flush();
      }
      await flush();
    } finally {
      await handle.close();
    }
    this.#files.push({ name, rows: count, bytes, sha256: hash.digest('hex') });
  }

  /** Writes the manifest last and puts the folder into its place. Throws where another was faster. */
  async complete(manifest: Manifest): Promise<void> {
    await writeFile(join(this.#partial, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`, { flush: true });
    await rename(this.#partial, this.#path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
      throw new StartupError(`${this.#path} is there already.`);
    });
  }

  async discard(): Promise<void> {
    await rm(this.#partial, { recursive: true, force: true });
  }
}
