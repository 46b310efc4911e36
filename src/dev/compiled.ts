import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { build } from 'esbuild';
import { copyAssets } from '../build/assets.ts';

const FOLDERS = ['src', 'workers', 'migrations'];
/** For sources that have changed since: a process that still runs them may go on loading from it. */
const KEPT_MS = 86_400_000;

/**
 * The programs of a checkout as JavaScript, which starts in half the processor time that the TypeScript needs: a folder below
 * its `node_modules`, with the paths of the checkout. Compiled once for each state of the sources, as times and sizes
 * of the files tell it; safe when several ask at once. Types are not looked at: that is `npm run types`.
 */
export async function compileTree(root: string): Promise<string> {
  // By its own path: a program that is started by a link to it does not know that it is the one that was started.
  const cache = join(realpathSync(join(root, 'node_modules')), '.cache', 'forum');
  const sources = FOLDERS.flatMap((folder) => filesBelow(root, folder));
  const target = join(cache, stateOf(root, sources));
  if (existsSync(target)) return target;
  mkdirSync(cache, { recursive: true });
  const making = mkdtempSync(`${target}.`);
  await transpile(
    root,
    // What browsers run is no module of the service.
    sources.filter((path) => /\.tsx?$/.test(path) && !path.includes(join('window', 'browser'))),
    making,
  );
  await copyAssets(root, making);
  try {
    renameSync(making, target);
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
  removeOld(cache, target);
  return target;
}

function filesBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:tsx?|css|svg|sql|md|sh|py|mjs|json)$/.test(path))
    .map((path) => join(folder, path))
    .sort();
}

function stateOf(root: string, sources: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of sources) {
    const { mtimeMs, size } = statSync(join(root, path));
    hash.update(`${path.split(sep).join('/')} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

/** File by file, as the build does it: what stands beside a module is found beside its JavaScript. */
async function transpile(root: string, sources: readonly string[], target: string): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: sources.map((path) => join(root, path)),
    outbase: root,
    outdir: target,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    bundle: true,
    packages: 'external',
    logLevel: 'silent',
    plugins: [
      {
        name: 'siblings',
        setup: ({ onResolve }) =>
          onResolve({ filter: /^\.\.?\// }, ({ path }) => ({ path: path.replace(/\.tsx?$/, '.js'), external: true })),
      },
    ],
  });
}

function removeOld(cache: string, target: string): void {
  const trees = readdirSync(cache).map((name) => join(cache, name));
  for (const tree of trees) {
    if (tree !== target && statSync(tree).mtimeMs < Date.now() - KEPT_MS)
      rmSync(tree, { recursive: true, force: true });
  }
}
