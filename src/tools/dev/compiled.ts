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
/** Programs that run for a moment. Each command of the client loads only what it needs. */
const COMMANDS = [
  'src/client/cli.ts',
  'src/client/index.ts',
  'src/ops/verify.ts',
  'src/ops/rebuildSearch.ts',
  'src/tools/backup/backup.ts',
  'src/tools/backup/rehearse.ts',
  'src/tools/backup/restore.ts',
  'src/tools/export/export.ts',
  'workers/log/recover.ts',
];
/** Packages that load files beside their code, that are optional, or that a program imports dynamically. */
const UNBUNDLED = ['pino', '@bull-board/*', '@opentelemetry/*', 'knex', 'pg-native', 'sodium-native', 'undici'];
/** npm rewrites this file with each change of the installed packages. */
const INSTALLED = join('node_modules', '.package-lock.json');
/** How long trees of older sources stay, because a running process may load more modules from its tree. */
const KEPT_MS = 86_400_000;

/** Compiles without a check of types, in half the time. Each state of sources and packages is compiled once. */
export async function compileTree(root: string): Promise<string> {
  // The real path, because a program that is started by a link does not recognize itself as the main module.
  const cache = join(realpathSync(join(root, 'node_modules')), '.cache', 'forum');
  const sources = [...FOLDERS.flatMap((folder) => filesBelow(root, folder)), 'CHANGELOG.md'];
  const target = join(cache, stateOf(root, sources));
  if (existsSync(target)) return target;
  const making = makeDraft(cache, target);
  const remove = () => rmSync(making, { recursive: true, force: true });
  // `npm start` may end before, such as when its servers do not start.
  process.once('exit', remove);
  try {
    await transpile(
      root,
      // Scripts of browsers are bundled with the assets.
      sources.filter((path) => /\.tsx?$/.test(path) && !path.includes(join('web', 'browser'))),
      making,
      target,
    );
    await copyAssets(root, making);
    // Without it Node reads each module twice to find its format.
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
    const message = `This user cannot write to ${cache}, the folder of the compiled programs`;
    throw new Error(
      `${message}: make this user the owner of node_modules, for example by \`npm ci --ignore-scripts\` as this user.`,
      {
        cause: error,
      },
    );
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
 * Bundles each service with its packages: most of a start is spent on reading a thousand modules. `target` is the final
 * path.
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
  // Named entry points, because esbuild derives wrong output paths for a root with quotes in its name.
  const entryPoints = (paths: readonly string[]) =>
    paths.map((path) => ({ in: join(root, path), out: path.replace(/\.tsx?$/, '') }));
  await build({ ...options, entryPoints: entryPoints(sources), packages: 'external', plugins: [siblings] });
  const bundle = (programs: readonly string[]) =>
    build({
      ...options,
      entryPoints: entryPoints(programs.filter((path) => sources.includes(join(path)))),
      external: UNBUNDLED,
      // CommonJS packages call `require` at run time.
      banner: {
        js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
      },
      splitting: true,
      // Node parses a program without white space in a twentieth less time.
      minifyWhitespace: true,
      chunkNames: 'chunks/[hash]',
      sourcesContent: false,
      allowOverwrite: true,
      plugins: [places(realpathSync(root), target)],
    });
  await Promise.all([SERVICES, COMMANDS].map(bundle));
}

const siblings: Plugin = {
  name: 'siblings',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\.?\// }, ({ path }) => ({ path: path.replace(/\.tsx?$/, '.js'), external: true })),
};

/** Gives bundled modules the paths that they would have by themselves, so that they find the files beside them. */
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
