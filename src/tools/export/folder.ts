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

/** The folder of an export. It has a temporary name until it is complete. */
export class ExportFolder {
  readonly #path: string;
  readonly #partial: string;
  readonly #files: ListedFile[] = [];

  /** Throws `StartupError` if the path exists. */
  constructor(path: string) {
    this.#path = resolve(path);
    // A random name, because another export may write to the same path.
    this.#partial = `${this.#path}.${randomBytes(4).toString('hex')}.partial`;
    if (existsSync(this.#path)) throw new StartupError(`${path} already exists. Choose another folder.`);
  }

  get files(): readonly ListedFile[] {
    return this.#files;
  }

  /** Creates the folder, and removes that of a failed attempt. Throws `StartupError` if this is not possible. */
  async begin(): Promise<void> {
    this.#files.length = 0;
    await this.discard();
    await makeFolder(this.#partial).catch((error: NodeJS.ErrnoException) => {
      throw new StartupError(`${this.#path} cannot be written (${error.code}).`, { cause: error });
    });
  }

  /** Writes each row as a line, with at most about 64 kB in memory. */
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

  /** Writes the manifest and renames the folder. Throws if the path exists meanwhile. */
  async complete(manifest: Manifest): Promise<void> {
    await writeFile(join(this.#partial, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`, { flush: true });
    await rename(this.#partial, this.#path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
      throw new StartupError(`${this.#path} already exists. Choose another folder.`);
    });
  }

  async discard(): Promise<void> {
    await rm(this.#partial, { recursive: true, force: true });
  }
}
