// `npm run build [-- DIRECTORY]`: the service as JavaScript, with what it reads beside its code, in `dist` or the directory
// named. What an earlier build left there is removed: the functions of a release are all the .sql files that are found.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUILT, bundle } from '../window/assets.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const DOCS = join('discovery', 'docs');
const target = resolve(process.argv[2] ?? join(root, 'dist'));

for (const folder of ['src', 'workers', 'migrations']) rmSync(join(target, folder), { recursive: true, force: true });
execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json', '--outDir', target], {
  cwd: root,
  stdio: 'inherit',
});
for (const path of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
  if (path.endsWith('.sql') || path.endsWith('.svg') || (path.endsWith('.md') && dirname(path) === DOCS)) copy(path);
}
for (const file of BUILT) {
  const to = join(target, 'src/window', file);
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, await bundle(join(root, 'src/window', file.replace(/js$/, 'ts'))));
}

function copy(path: string): void {
  const to = join(target, 'src', path);
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(join(root, 'src', path), to);
}
