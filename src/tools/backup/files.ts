import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const CHUNK_BYTES = 1 << 20;
const FLUSHED_AT_ONCE = 16;

export interface Digest {
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

const buffer = Buffer.allocUnsafe(CHUNK_BYTES);

/**
 * Copies a file, which may grow meanwhile. Synchronous, because most files are small and the thread pool is several
 * times slower.
 */
export function copyFile(from: string, to: string): Digest {
  return withFile(from, 'r', (source) =>
    withFile(to, 'wx', (target) => digest(source, (chunk) => writeFileSync(target, chunk))),
  );
}

export function digestOf(path: string): Digest {
  return withFile(path, 'r', (source) => digest(source, () => {}));
}

export function unlessMissing<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function withFile<T>(path: string, flags: string, work: (file: number) => T): T {
  const file = openSync(path, flags, 0o600);
  try {
    return work(file);
  } finally {
    closeSync(file);
  }
}

function digest(file: number, take: (chunk: Buffer) => void): Digest {
  const hash = createHash('sha256');
  for (let bytes = 0; ; ) {
    const length = readSync(file, buffer);
    if (length === 0) return { bytes, sha256: hash.digest('hex') };
    const chunk = buffer.subarray(0, length);
    hash.update(chunk);
    take(chunk);
    bytes += length;
  }
}

/** Flushes files below `root` and their directories to the disk. */
export async function flush(root: string, paths: readonly string[]): Promise<void> {
  const directories = new Set(['.', ...paths.map((path) => dirname(path))]);
  const rest = [...paths, ...directories];
  const flushSome = async () => {
    for (let path = rest.shift(); path !== undefined; path = rest.shift()) await flushOne(join(root, path));
  };
  await Promise.all(Array.from({ length: FLUSHED_AT_ONCE }, flushSome));
}

export async function flushOne(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
