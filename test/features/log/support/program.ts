import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The program of the documentation. */
export const PROGRAM = readFileSync(new URL('../../../../src/discovery/programs/verify.py', import.meta.url), 'utf8');

export const hasPython = (() => {
  try {
    execFileSync('python3', ['-c', 'import cryptography'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** It, beside the key of a log, in a folder of its own. */
export class DocumentedProgram {
  readonly directory: string;

  private constructor(directory: string) {
    this.directory = directory;
  }

  static async write(logKey: string): Promise<DocumentedProgram> {
    const self = new DocumentedProgram(await mkdtemp(join(tmpdir(), 'forum-program-')));
    await writeFile(join(self.directory, 'log.vkey'), logKey);
    await writeFile(join(self.directory, 'verify.py'), PROGRAM);
    return self;
  }

  /** Its status for a bundle and a thread: 0, proven. */
  async run(bundle: object, thread: object): Promise<number | null> {
    await writeFile(join(this.directory, 'proof.json'), JSON.stringify(bundle));
    await writeFile(join(this.directory, 'post.json'), JSON.stringify(thread));
    const files = ['verify.py', 'log.vkey', 'proof.json', 'post.json'].map((name) => join(this.directory, name));
    return spawnSync('python3', files, { stdio: 'ignore' }).status;
  }

  async remove(): Promise<void> {
    await rm(this.directory, { recursive: true });
  }
}
