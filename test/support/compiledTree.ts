import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Where releases have their compiler. */
const COMPILERS = ['src/tools/dev/compiled.ts', 'src/dev/compiled.ts'];

/** Compiles a tree of any release with its own compiler, which knows its folders; returns where the programs are. */
export async function compileWithOwn(root: string): Promise<string> {
  const compiler = COMPILERS.map((path) => join(root, path)).find((path) => existsSync(path))!;
  const { compileTree } = (await import(compiler)) as { compileTree(root: string): Promise<string> };
  return compileTree(root);
}
