// `npm run build [-- DIRECTORY]`: the service as JavaScript, with what it reads beside its code, in `dist` or the directory
// named. What an earlier build left there is removed: the functions of a release are all the .sql files that are found.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const DISCOVERY = 'discovery';
const target = resolve(process.argv[2] ?? join(root, 'dist'));

for (const folder of ['src', 'workers', 'migrations']) rmSync(join(target, folder), { recursive: true, force: true });
execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json', '--outDir', target], {
  cwd: root,
  stdio: 'inherit',
});
for (const path of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
  if (path.endsWith('.sql') || (path.startsWith(DISCOVERY + sep) && /\.(?:md|sh|py|mjs|json)$/.test(path))) copy(path);
}

function copy(path: string): void {
  const to = join(target, 'src', path);
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(join(root, 'src', path), to);
}
