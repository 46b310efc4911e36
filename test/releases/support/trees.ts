import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeTestDirectory } from '../../support/directories.ts';

const run = promisify(execFile);
export const THIS_TREE = join(import.meta.dirname, '../../..');
/** The files of a release, and the files that it needs to run. */
const PARTS = ['src', 'workers', 'migrations', 'package.json', 'tsconfig.json', 'CHANGELOG.md'];

/** The sources of a release in their own folder, with the packages of this one. */
export interface Tree {
  readonly root: string;
  /** Replaces a text that occurs in a file exactly once. */
  edit(path: string, from: string, to: string): Promise<void>;
  /** Writes or overwrites a file. */
  add(path: string, text: string): Promise<void>;
  remove(): Promise<void>;
}

export async function copyTree(): Promise<Tree> {
  return inNewFolder(async (root) => {
    const options = { recursive: true, preserveTimestamps: true };
    for (const part of PARTS) await cp(join(THIS_TREE, part), join(root, part), options);
  });
}

/** The sources of a commit. Undefined if this clone does not have it. */
export async function checkOut(commit: string): Promise<Tree | undefined> {
  const isThere = await run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: THIS_TREE }).then(
    () => true,
    () => false,
  );
  if (!isThere) return undefined;
  return inNewFolder(async (root) => {
    const archive = join(root, 'archive.tar');
    await run('git', ['archive', '--output', archive, commit, ...PARTS], { cwd: THIS_TREE });
    await run('tar', ['-xf', archive, '-C', root]);
  });
}

async function inNewFolder(fill: (root: string) => Promise<void>): Promise<Tree> {
  const directory = await makeTestDirectory();
  const root = join(directory, 'tree');
  await mkdir(root);
  await fill(root);
  await symlink(join(THIS_TREE, 'node_modules'), join(root, 'node_modules'));
  return {
    root,
    edit: async (path, from, to) => {
      const text = await readFile(join(root, path), 'utf8');
      if (text.split(from).length !== 2) throw new Error(`${path} does not have exactly one: ${from}`);
      await write(
        join(root, path),
        text.replace(from, () => to),
      );
    },
    add: (path, text) => write(join(root, path), text),
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/**
 * The time of the file depends on its text alone, so that the same tree is compiled once (src/tools/dev/compiled.ts).
 */
async function write(path: string, text: string): Promise<void> {
  await writeFile(path, text);
  const seconds = createHash('sha256').update(text).digest().readUInt32BE() >>> 1;
  await utimes(path, seconds, seconds);
}
