import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A program, and the variables by which it finds its libraries. */
export interface Executable {
  path: string;
  env: NodeJS.ProcessEnv;
}

/** Finds the server that `fetchRedis` has unpacked, without a check that it runs. */
export async function findUnpackedRedis(root: string): Promise<Executable | undefined> {
  for (const name of ['redis-server', 'valkey-server']) {
    const path = join(root, 'usr', 'bin', name);
    const found = await stat(path).catch(() => undefined);
    if (found) return { path, env: { LD_LIBRARY_PATH: await libraryPath(join(root, 'usr', 'lib')) } };
  }
  return undefined;
}

/** Unpacks packages of a Debian-like distribution below `root`. Installs nothing and needs no privileges. */
export async function fetchRedis(root: string): Promise<Executable> {
  const draft = `${root}.${process.pid}`;
  const apt = join(draft, 'apt');
  await mkdir(join(apt, 'lists', 'partial'), { recursive: true });
  await mkdir(join(apt, 'cache', 'archives', 'partial'), { recursive: true });
  try {
    await aptGet(apt, ['update']);
    await download(apt, 'redis').catch(() => download(apt, 'valkey'));
    const archives = join(apt, 'cache', 'archives');
    for (const name of await readdir(archives)) {
      if (name.endsWith('.deb')) await run('dpkg-deb', ['-x', join(archives, name), draft]);
    }
    await rm(apt, { recursive: true });
    await chmod(draft, 0o755);
    await rm(root, { recursive: true, force: true });
    await rename(draft, root);
    const unpacked = await findUnpackedRedis(root);
    if (!unpacked) throw new Error('the downloaded packages contain no server');
    return unpacked;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function download(apt: string, product: string): Promise<void> {
  // The server can be in the package of tools. Installed packages are downloaded only with --reinstall.
  const packages = [`${product}-server`, `${product}-tools`];
  await aptGet(apt, ['--yes', '--no-install-recommends', '--download-only', '--reinstall', 'install', ...packages]);
}

async function aptGet(directory: string, args: string[]): Promise<void> {
  const settings = {
    'Dir::State::Lists': join(directory, 'lists'),
    'Dir::Cache': join(directory, 'cache'),
    // Only root may lock, and no installed package changes.
    'Debug::NoLocking': 'true',
    // As root, apt would download as another user who may not enter this directory.
    'APT::Sandbox::User': '',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '2',
    'Acquire::http::Timeout': '20',
    'Acquire::https::Timeout': '20',
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', [...flags, ...args], { env, timeout: 120_000 });
}

async function libraryPath(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const directories = entries.filter((entry) => entry.name.includes('.so')).map((entry) => entry.parentPath);
  const inherited = process.env.LD_LIBRARY_PATH;
  return [...new Set(directories), ...(inherited ? [inherited] : [])].join(delimiter);
}
