import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const CHUNK_BYTES = 1 << 20;
const FLUSHED_AT_ONCE = 16;

export interface Digest {
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** Copies a file up to where it ends while it is read, which may change meanwhile; readable by its owner alone. */
export async function copyFile(from: string, to: string): Promise<Digest> {
  const source = await open(from, 'r');
  try {
    const target = await open(to, 'wx', 0o600);
    try {
      return await digest(source, async (chunk) => {
        await target.writeFile(chunk);
      });
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

export async function digestOf(path: string): Promise<Digest> {
  const file = await open(path, 'r');
  try {
    return await digest(file, async () => {});
  } finally {
    await file.close();
  }
}

async function digest(file: FileHandle, take: (chunk: Buffer) => Promise<void>): Promise<Digest> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let bytes = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, null);
    if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') };
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    await take(chunk);
    bytes += bytesRead;
  }
}

/** Returns when files and the directories around them are on the disk, by paths below `root`. */
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
