import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the checkout. */
export const root = fileURLToPath(new URL('../..', import.meta.url));
const importPattern = /^(?:import|export)\s(?:[^'";]*?\sfrom\s+)?'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm;
/** Beyond it is the whole service: every test that starts one would be affected by everything. */
const hub = 'test/support/forum.ts';

/**
 * The test files, as paths in the checkout, that changed files affect directly. These are changed tests, tests that
 * import a changed file without starting the whole service, and the tests of a changed feature.
 */
export function findAffectedTests(changed: readonly string[]): string[] {
  const folders = changed
    .flatMap((file) => /^src\/(features\/(?:governance\/)?[^/]+\/)/.exec(file)?.[1] ?? [])
    .map((path) => `test/${path}`);
  const imports = new Map<string, string[]>();
  return listTests().filter((test) => {
    if (folders.some((folder) => test.startsWith(folder))) return true;
    const loaded = filesLoadedBy(test, imports);
    return changed.some((file) => loaded.has(file));
  });
}

function listTests(): string[] {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => join('test', path))
    .toSorted();
}

/** A file and all that its imports lead to in the checkout. `imports` caches the imports of the files read before. */
export function filesLoadedBy(path: string, imports = new Map<string, string[]>()): Set<string> {
  const found = new Set([path]);
  for (const file of found) {
    if (file === hub) continue;
    if (!imports.has(file)) imports.set(file, importsOf(file));
    for (const imported of imports.get(file)!) found.add(imported);
  }
  return found;
}

function importsOf(file: string): string[] {
  let text: string;
  try {
    text = readFileSync(join(root, file), 'utf8');
  } catch {
    // Renamed or half written: the next change will tell.
    return [];
  }
  return [...text.matchAll(importPattern)].map(([, path, dynamic]) =>
    relative(root, join(root, dirname(file), path ?? dynamic ?? '')),
  );
}
