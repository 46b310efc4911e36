/** Runs blocks of a page in one shell, as a newcomer pastes them. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { scaleWait } from './waits.ts';

const run = promisify(execFile);
const PASTE_MS = 120_000;

export interface Pasted {
  /** Standard output of each block. */
  readonly outputs: readonly string[];
  /** The commands that did not return 0. */
  readonly failed: readonly string[];
  /** Standard error of all blocks. */
  readonly errors: string;
}

export interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Variables, exports and the current folder last from block to block. A command that fails ends nothing, as in a
 * terminal.
 */
export async function paste(blocks: readonly string[], { cwd, env }: Surroundings): Promise<Pasted> {
  const folder = await mkdtemp(join(tmpdir(), 'forum-pasted-'));
  const file = (name: string) => join(folder, name);
  const script = [
    `trap 'echo "$BASH_COMMAND" >> ${file('failed')}' ERR`,
    ...blocks.map((block, index) => `{\n${block}} > ${file(`${index}`)} 2>> ${file('errors')}`),
  ];
  try {
    for (const name of ['failed', 'errors', ...blocks.keys()]) await writeFile(file(String(name)), '');
    await writeFile(file('script'), script.join('\n'));
    // The exit code is that of the last command, which `failed` lists.
    await run('bash', [file('script')], { cwd, env, timeout: scaleWait(PASTE_MS) }).catch((error) => {
      if (typeof error.code !== 'number') throw error;
    });
    const read = (name: string) => readFile(file(name), 'utf8');
    return {
      outputs: await Promise.all(blocks.map((_, index) => read(String(index)))),
      failed: (await read('failed')).split('\n').filter(Boolean),
      errors: await read('errors'),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}
