import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../../platform/startupError.ts';
import { writePrivateFile } from '../dev/files.ts';
import { type Digest, digestOf, flushOne, unlessMissing } from './files.ts';

const FILE_NAME = 'manifest.json';
const FORMAT = 1;

export interface BackedUpFile extends Digest {
  /** Relative to the backup, with slashes. */
  readonly path: string;
}

export interface Origin {
  readonly service: { readonly version: string; readonly release: string; readonly lastMigration: string };
  readonly postgres: { readonly version: string; readonly major: string };
  /** Identifies this database, not a copy of it. Null before the first start of the service. */
  readonly deploymentId: string | null;
}

/** A copy of the files of a server, and its WAL since the beginning of the copy. */
export interface FilesBackup {
  readonly kind: 'files';
  readonly cluster: {
    readonly systemIdentifier: string;
    readonly timeline: number;
    readonly segmentBytes: number;
    readonly nextSegment: number;
    /** RFC 3339. The earliest time for `--until`. */
    readonly consistentAt: string;
  };
  /** Includes empty directories, which the server needs. */
  readonly directories: readonly string[];
}

interface DumpBackup {
  readonly kind: 'dump';
}

/** The content of a backup. A directory without it is no backup. */
export type Manifest = Origin & {
  readonly format: typeof FORMAT;
  readonly startedAt: string;
  /** RFC 3339. The backup has all writes that were accepted before. */
  readonly upTo: string;
  readonly files: readonly BackedUpFile[];
} & (FilesBackup | DumpBackup);

export async function writeManifest<Backup extends FilesBackup | DumpBackup>(
  directory: string,
  manifest: Omit<Manifest, 'format' | 'kind'> & Backup,
): Promise<void> {
  writePrivateFile(join(directory, FILE_NAME), `${JSON.stringify({ format: FORMAT, ...manifest }, null, 1)}\n`);
  await flushOne(join(directory, FILE_NAME));
  await flushOne(directory);
}

export const isBackup = (directory: string): boolean => existsSync(join(directory, FILE_NAME));

/** Throws `StartupError` if there is no backup, or its format is unknown. */
export async function readManifest(directory: string): Promise<Manifest> {
  const text = await readFile(join(directory, FILE_NAME), 'utf8').catch(() => undefined);
  if (text === undefined) throw new StartupError(`${directory} is not a complete backup: it has no ${FILE_NAME}.`);
  const manifest = parse(text);
  if (manifest?.format !== FORMAT) throw new StartupError(`${join(directory, FILE_NAME)} cannot be read.`);
  const paths = pathsIn(manifest);
  if (!paths) throw new StartupError(`${join(directory, FILE_NAME)} cannot be read.`);
  const outside = paths.find((path) => path.split('/').includes('..') || path.startsWith('/'));
  if (outside !== undefined)
    throw new StartupError(`${join(directory, FILE_NAME)} names ${outside}, which is outside of the backup.`);
  return manifest;
}

function pathsIn(manifest: Manifest): string[] | undefined {
  const directories: unknown = manifest.kind === 'files' ? manifest.directories : [];
  if (!Array.isArray(manifest.files) || !Array.isArray(directories)) return undefined;
  const paths: unknown[] = [...manifest.files.map((file: BackedUpFile | null) => file?.path), ...directories];
  return paths.every((path) => typeof path === 'string') ? (paths as string[]) : undefined;
}

function parse(text: string): Manifest | undefined {
  try {
    return JSON.parse(text) as Manifest;
  } catch {
    return undefined;
  }
}

export function checkFiles(directory: string, { files }: Manifest): void {
  const damaged: string[] = [];
  for (const { path, bytes, sha256 } of files) {
    const found = unlessMissing(() => digestOf(join(directory, path)));
    if (found?.sha256 !== sha256 || found.bytes !== bytes) damaged.push(path);
  }
  if (damaged.length === 0) return;
  const some = damaged.slice(0, 5).join(', ');
  throw new StartupError(
    `${directory} is damaged, so nothing was restored: ${damaged.length} of ${files.length} files are missing or changed (${some}).`,
  );
}
