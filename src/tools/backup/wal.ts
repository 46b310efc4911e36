import { createHash } from 'node:crypto';
import { truncateSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { StartupError } from '../../platform/startupError.ts';
import { copyFile } from './files.ts';
import type { BackedUpFile, FilesBackup } from './manifest.ts';
import { ask } from './origin.ts';

export const WAL_FOLDER = 'wal';
const LOG_BYTES = 0x1_0000_0000;

export interface WalPlace {
  /** The path of `pg_wal`. */
  readonly directory: string;
  readonly timeline: number;
  readonly segmentBytes: number;
}

export async function findWal(client: pg.Client, dataDirectory: string): Promise<WalPlace> {
  const place = await ask<{ timeline: number; segmentBytes: number }>(
    client,
    `SELECT ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer AS timeline,
            pg_size_bytes(current_setting('wal_segment_size'))::integer AS "segmentBytes"`,
  );
  return { directory: join(dataDirectory, 'pg_wal'), ...place };
}

/** The identifier that `initdb` gave the data. Copies share it. */
export async function readSystemIdentifier(client: pg.Client): Promise<string> {
  return (await ask<{ id: string }>(client, 'SELECT system_identifier::text AS id FROM pg_control_system()')).id;
}

/** The number of the segment with a position of the WAL, such as `0/16B3748`. */
export function segmentAt(lsn: string, { segmentBytes }: Pick<WalPlace, 'segmentBytes'>): number {
  const [log = '', offset = ''] = lsn.split('/');
  return Math.floor((Number.parseInt(log, 16) * LOG_BYTES + Number.parseInt(offset, 16)) / segmentBytes);
}

function nameOf(segment: number, { timeline, segmentBytes }: Omit<WalPlace, 'directory'>): string {
  const perLog = LOG_BYTES / segmentBytes;
  const parts = [timeline, Math.floor(segment / perLog), segment % perLog];
  return parts.map((part) => part.toString(16).toUpperCase().padStart(8, '0')).join('');
}

/**
 * The earlier segments have all commits up to `upTo`. The message is a commit at which a restore to a later time can
 * stop.
 */
export async function endSegment(client: pg.Client, place: WalPlace): Promise<{ next: number; upTo: string }> {
  const { upTo } = await ask<{ upTo: Date }>(client, 'SELECT clock_timestamp() AS "upTo"');
  await client.query(`SELECT pg_logical_emit_message(true, 'forum', 'backup')`);
  const { end } = await ask<{ end: string }>(client, 'SELECT pg_switch_wal() AS end');
  const { segmentBytes } = place;
  // The end is a boundary of segments, or before one because of padding.
  return { next: segmentAt(end, { segmentBytes }) + (isBoundary(end, segmentBytes) ? 0 : 1), upTo: upTo.toISOString() };
}

const isBoundary = (lsn: string, segmentBytes: number) => Number.parseInt(lsn.split('/')[1]!, 16) % segmentBytes === 0;

/** Copies the segments from `from` up to but excluding `to` into a backup. Throws `StartupError` if one was removed. */
export async function copySegments(
  place: WalPlace,
  { from, to }: { from: number; to: number },
  backup: string,
): Promise<BackedUpFile[]> {
  const files: BackedUpFile[] = [];
  for (let segment = from; segment < to; segment += 1) {
    files.push(await copySegment(place, nameOf(segment, place), backup));
  }
  return files;
}

/** Leaves out the zeros at the end of a segment. `restoreSegment` restores them. */
async function copySegment({ directory, segmentBytes }: WalPlace, name: string, backup: string): Promise<BackedUpFile> {
  const source = join(directory, name);
  const whole = await readUnchanged(source);
  if (whole?.length !== segmentBytes) {
    throw new StartupError(
      `PostgreSQL has deleted WAL that the backup does not have (${name}). Make a new backup with npm run backup`,
    );
  }
  const data = whole.subarray(0, lengthWithoutZeros(whole));
  const path = `${WAL_FOLDER}/${name}`;
  const target = join(backup, path);
  await rm(`${target}.partial`, { force: true });
  const file = await open(`${target}.partial`, 'wx', 0o600);
  try {
    await file.writeFile(data);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${target}.partial`, target);
  return { path, bytes: data.length, sha256: createHash('sha256').update(data).digest('hex') };
}

/** Returns undefined if there is no such segment, or the server has recycled it meanwhile. */
async function readUnchanged(path: string): Promise<Buffer | undefined> {
  const file = await open(path, 'r').catch(() => undefined);
  if (!file) return undefined;
  try {
    const data = await file.readFile();
    const [opened, named] = [await file.stat(), await stat(path).catch(() => undefined)];
    return opened.ino === named?.ino ? data : undefined;
  } finally {
    await file.close();
  }
}

function lengthWithoutZeros(data: Buffer): number {
  let length = data.length;
  while (length >= 8 && data.readUInt32LE(length - 4) === 0 && data.readUInt32LE(length - 8) === 0) length -= 8;
  return length;
}

export function restoreSegment(
  backup: string,
  { path }: BackedUpFile,
  dataDirectory: string,
  { segmentBytes }: FilesBackup['cluster'],
): void {
  const target = join(dataDirectory, 'pg_wal', path.slice(WAL_FOLDER.length + 1));
  copyFile(join(backup, path), target);
  truncateSync(target, segmentBytes);
}
