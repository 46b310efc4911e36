import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { isForbidden } from '../../platform/files/folders.ts';
import { copyAssets } from '../build/assets.ts';

const FOLDERS = ['src', 'workers', 'migrations'];
const SERVICES = ['src/main.ts', 'workers/main.ts', 'migrations/run.ts'];
/** Packages that find files of their own beside them, or that need not be there. */
const UNBUNDLED = ['pino', '@bull-board/*', 'knex', 'pg-native', 'sodium-native'];
/** Written by npm with every change of what is installed. */
const INSTALLED = join('node_modules', '.package-lock.json');
/** For sources that have changed since: a process that still runs them may go on loading from it. */
const KEPT_MS = 86_400_000;

/**
 * The programs of a checkout as JavaScript, which starts in half the processor time that the TypeScript needs: a folder below
 * its `node_modules`, with the paths of the checkout. Compiled once for each state of sources and packages, as times and
 * sizes of the files tell it; safe when several ask at once. Types are not looked at: that is `npm run types`.
 */
export async function compileTree(root: string): Promise<string> {
  // By its own path: a program that is started by a link to it does not know that it is the one that was started.
  const cache = join(realpathSync(join(root, 'node_modules')), '.cache', 'forum');
  const sources = FOLDERS.flatMap((folder) => filesBelow(root, folder));
  const target = join(cache, stateOf(root, sources));
  if (existsSync(target)) return target;
  const making = makeDraft(cache, target);
  const remove = () => rmSync(making, { recursive: true, force: true });
  // A start may end before, when it is stopped or its servers do not start.
  process.once('exit', remove);
  try {
    await transpile(
      root,
      // What browsers run is no module of the service.
      sources.filter((path) => /\.tsx?$/.test(path) && !path.includes(join('web', 'browser'))),
      making,
      target,
    );
    await copyAssets(root, making);
    // Else Node reads each module twice, to find out of which kind it is.
    writeFileSync(join(making, 'package.json'), '{"type":"module"}\n');
    renameSync(making, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
  } finally {
    remove();
    process.off('exit', remove);
  }
  removeOld(cache, target);
  return target;
}

function makeDraft(cache: string, target: string): string {
  try {
    mkdirSync(cache, { recursive: true });
    return mkdtempSync(`${target}.`);
  } catch (error) {
    if (!isForbidden(error)) throw error;
    const message = `This user may not write to ${cache}, where the programs are compiled to`;
    throw new Error(`${message}: make node_modules this user's own, as by \`npm ci --ignore-scripts\` as this user.`, {
      cause: error,
    });
  }
}

function filesBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:tsx?|css|svg|sql|md|sh|py|mjs|json)$/.test(path))
    .map((path) => join(folder, path))
    .sort();
}

function stateOf(root: string, sources: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of existsSync(join(root, INSTALLED)) ? [...sources, INSTALLED] : sources) {
    const { mtimeMs, size } = statSync(join(root, path));
    hash.update(`${path.split(sep).join('/')} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

/**
 * File by file, as the build does it: what stands beside a module is found beside its JavaScript. Then the services once
 * more, each with all its modules and those of its packages in a few files, for most of what a start takes is to find and
 * read a thousand of them. `target` is where the tree will be.
 */
async function transpile(root: string, sources: readonly string[], making: string, target: string): Promise<void> {
  const options: BuildOptions = {
    absWorkingDir: root,
    outdir: making,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    bundle: true,
    logLevel: 'silent',
  };
  // Each by its own name: esbuild misreads a path with quotes in it as the base of all.
  const entryPoints = (paths: readonly string[]) =>
    paths.map((path) => ({ in: join(root, path), out: path.replace(/\.tsx?$/, '') }));
  await build({ ...options, entryPoints: entryPoints(sources), packages: 'external', plugins: [siblings] });
  const services = SERVICES.filter((path) => sources.includes(join(path)));
  await build({
    ...options,
    entryPoints: entryPoints(services),
    external: UNBUNDLED,
    // What packages of the older kind ask for at run time.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    splitting: true,
    chunkNames: 'chunks/[hash]',
    sourcesContent: false,
    allowOverwrite: true,
    plugins: [places(realpathSync(root), target)],
  });
}

const siblings: Plugin = {
  name: 'siblings',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\.?\// }, ({ path }) => ({ path: path.replace(/\.tsx?$/, '.js'), external: true })),
};

/** Modules go on finding what stands beside them, though they stand in one file. */
const places = (root: string, target: string): Plugin => ({
  name: 'places',
  setup: ({ onLoad }) =>
    onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const place = join(target, relative(root, path).replace(/\.tsx?$/, '.js'));
      return {
        contents: text
          .replaceAll('import.meta.url', () => JSON.stringify(pathToFileURL(place).href))
          .replaceAll('import.meta.dirname', () => JSON.stringify(dirname(place))),
        loader: path.endsWith('x') ? 'tsx' : 'ts',
      };
    }),
});

function removeOld(cache: string, target: string): void {
  const trees = readdirSync(cache).map((name) => join(cache, name));
  for (const tree of trees) {
    if (tree !== target && statSync(tree).mtimeMs < Date.now() - KEPT_MS)
      rmSync(tree, { recursive: true, force: true });
  }
}
