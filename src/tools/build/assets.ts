import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { BUILT, bundle } from '../../web/assets.ts';

const DISCOVERY = `discovery${sep}`;

/** True of what the service reads beside its code, by its path below `src`: SQL, and what documents and pages are made of. */
const isAsset = (path: string): boolean =>
  /\.(?:sql|svg)$/.test(path) || (path.startsWith(DISCOVERY) && /\.(?:md|sh|py|mjs|json)$/.test(path));

/**
 * Puts what the service reads beside its code from the sources of a checkout into a compiled tree: as it is, but for what browsers load,
 * which is made smaller, each script one module.
 */
export async function copyAssets(root: string, target: string): Promise<void> {
  for (const path of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (isAsset(path)) copyFileSync(join(root, 'src', path), made(path));
  }
  for (const file of BUILT) {
    const source = join(root, 'src/web', file.replace(/js$/, 'ts'));
    // A checkout of a release before there were pages has none.
    if (existsSync(source)) writeFileSync(made(join('web', file)), await bundle(source));
  }

  function made(path: string): string {
    const to = join(target, 'src', path);
    mkdirSync(dirname(to), { recursive: true });
    return to;
  }
}
