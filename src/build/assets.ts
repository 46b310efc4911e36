import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

const DISCOVERY = `discovery${sep}`;

/** True of what the service reads beside its code, by its path below `src`: SQL, and what documents are made of. */
const isAsset = (path: string): boolean =>
  path.endsWith('.sql') || (path.startsWith(DISCOVERY) && /\.(?:md|sh|py|mjs|json)$/.test(path));

/** Copies what the service reads beside its code from the sources of a checkout to a compiled tree. */
export function copyAssets(root: string, target: string): void {
  for (const path of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!isAsset(path)) continue;
    const to = join(target, 'src', path);
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(join(root, 'src', path), to);
  }
}
