import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileTree } from '../../src/tools/dev/compiled.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The path of the compiled form of a program, named by its source. It starts with half the CPU. */
export async function findProgram(source: string): Promise<string> {
  return join(await compileTree(ROOT), source.replace(/\.ts$/, '.js'));
}
