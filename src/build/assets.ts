import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

const DOCS = join('discovery', 'docs');

/** Copies what the service reads beside its code, its SQL and its documents, from the sources of a checkout to a compiled tree. */
export function copyAssets(root: string, target: string): void {
  for (const path of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.sql') && !(path.endsWith('.md') && dirname(path) === DOCS)) continue;
    const to = join(target, 'src', path);
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(join(root, 'src', path), to);
  }
}
