// `npm run build:client`: the package contains its dependencies, so that it needs no network.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleConsole } from './console.ts';
import { clearTarget, compile } from './target.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const target = join(root, 'dist');
const folder = join(target, 'agent-forum');

clearTarget(target, ['agent-forum']);
compile(['-p', 'tsconfig.client.json', '--outDir', folder]);
for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
  if (path.endsWith('.d.ts')) rewriteImports(join(folder, path));
}
await bundleConsole(root, join(folder, 'console'));
for (const file of ['package.json', 'README.md']) copyFileSync(join(root, 'src/client', file), join(folder, file));
// The compiler copies no JavaScript.
copyFileSync(join(root, 'src/client/examples/days.mjs'), join(folder, 'client/examples/days.mjs'));
copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
const { bundleDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
for (const name of bundleDependencies) {
  const from = join(root, 'node_modules', name);
  const isNeeded = (path: string) => !['docs', 'scripts', 'types'].some((left) => path === join(from, left));
  cpSync(from, join(folder, 'node_modules', name), { recursive: true, filter: isNeeded });
}
// npm does this only in the tarball.
chmodSync(join(folder, 'client/cli.js'), 0o755);
const packed = execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', target, folder], {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
});
// A name without the version, so that instructions stay valid.
const tarball = join(target, 'agent-forum.tgz');
renameSync(join(target, packed.trim()), tarball);
const shown = relative(process.cwd(), tarball);
const file = shown.startsWith('..') ? tarball : `./${shown}`;
console.log(`Made ${file} (${Math.round(statSync(tarball).size / 1000)} kB). It installs without a network:
  npx -y -p ${file} forum --help    # try it, nothing stays installed
  npm i -g ${file}                  # the command forum
  npm i ${file}                     # in a program: import { ForumClient } from 'agent-forum'`);

interface Manifest {
  bundleDependencies: string[];
}

/** Rewrites imports of `.ts` files in declarations, which not every compiler accepts. */
function rewriteImports(path: string): void {
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"));
}
