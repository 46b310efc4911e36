import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { BUILT, bundle } from '../../web/assets.ts';
import { writeConsoleAssets } from './console.ts';

const DISCOVERY = join('src', 'discovery') + sep;

const isAsset = (path: string): boolean =>
  /\.(?:sql|svg)$/.test(path) || (path.startsWith(DISCOVERY) && /\.(?:md|sh|py|mjs|json)$/.test(path));

/** Copies the assets of a checkout into a compiled tree, and bundles scripts and style sheets of browsers. */
export async function copyAssets(root: string, target: string): Promise<void> {
  for (const folder of ['src', 'migrations']) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      const path = join(folder, name);
      if (isAsset(path)) copyFileSync(join(root, path), made(path));
    }
  }
  // The documentation serves it (`discovery/pages.ts`).
  copyFileSync(join(root, 'CHANGELOG.md'), made('CHANGELOG.md'));
  for (const file of BUILT) {
    const path = join('src', 'web', file);
    writeFileSync(made(path), await bundle(join(root, path.replace(/js$/, 'ts'))));
  }
  await writeConsoleAssets(root, join(target, 'src/console'));

  function made(path: string): string {
    const to = join(target, path);
    mkdirSync(dirname(to), { recursive: true });
    return to;
  }
}
