/** Merkle trees in tiles of 256 hashes, as in C2SP tlog-tiles (docs/log#tiles). */
import { EMPTY_ROOT, HASH_BYTES, nodeHash, type RangeHash, splitOf } from './merkle.ts';

export const TILE_WIDTH = 256;
const TILE_HEIGHT = 8;

/** Level 0 holds the hashes of leaves, each higher level the roots of full tiles below; `entries` are the leaves. */
export interface TileId {
  readonly level: number | 'entries';
  readonly index: number;
}

export const hashesAt = (level: number, size: number): number => Math.floor(size / TILE_WIDTH ** level);

const INDEX = String.raw`(?:x\d{3}/)*\d{3}`;
const PATH = new RegExp(`^(entries|0|[1-5]\\d?|6[0-3]?|[7-9])/(${INDEX})(?:\\.p/([1-9]\\d{0,2}))?$`);

/** Reads the path after `tile/`; undefined if it is not a tile. */
export function parseTilePath(path: string): (TileId & { readonly width: number }) | undefined {
  const [, name, digits, width] = PATH.exec(path) ?? [];
  if (name === undefined) return undefined;
  const level = name === 'entries' ? name : Number(name);
  const index = Number(digits!.replaceAll(/[x/]/g, ''));
  const parsed = { level, index, width: Number(width ?? TILE_WIDTH) } as const;
  return Number.isSafeInteger(index) && tilePath(parsed, parsed.width) === path ? parsed : undefined;
}

/** The path after `tile/`: `0/x001/234`, or `0/x001/234.p/17` for a partial tile. */
export function tilePath({ level, index }: TileId, width: number): string {
  const digits = String(index);
  const groups = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g)!;
  const place = groups.map((group, n) => (n === groups.length - 1 ? group : `x${group}`)).join('/');
  return `${level}/${place}${width === TILE_WIDTH ? '' : `.p/${width}`}`;
}

/** The root over hashes of one level; their number is a power of two. */
export function fold(hashes: Uint8Array): Buffer {
  if (hashes.length === HASH_BYTES) return ownCopy(hashes);
  const row = Buffer.from(hashes);
  for (let { length } = row; length > HASH_BYTES; length /= 2) {
    for (let at = 0; at < length; at += 2 * HASH_BYTES) {
      const right = at + HASH_BYTES;
      nodeHash(row.subarray(at, right), row.subarray(right, right + HASH_BYTES)).copy(row, at / 2);
    }
  }
  return ownCopy(row.subarray(0, HASH_BYTES));
}

/** A copy in its own memory. A slice of Node's pool would keep 8 KB alive. */
const ownCopy = (bytes: Uint8Array): Buffer => Buffer.from(Uint8Array.from(bytes).buffer);

export type ReadTile = (level: number, index: number) => Uint8Array | undefined;

/** The root over hashes of a tile, of which `first` is the place of the first one. */
export type FoldHashes = (hashes: Uint8Array, tile: TileId, first: number) => Buffer;

/** Computes hashes of ranges from tiles. Throws if a tile is missing or too short. */
export const rangeFromTiles =
  (read: ReadTile, foldHashes: FoldHashes = fold): RangeHash =>
  (start, end) =>
    hashRange(start, end, (level, from, count) => {
      const index = Math.floor(from / TILE_WIDTH);
      const first = from - index * TILE_WIDTH;
      const hashes = read(level, index)?.subarray(first * HASH_BYTES, (first + count) * HASH_BYTES);
      if (hashes?.length !== count * HASH_BYTES) throw new Error(`the tile ${level}/${index} is missing or too short`);
      return foldHashes(hashes, { level, index }, first);
    });

/** `whole` returns the root over `count` hashes of a level, which lie in one tile. */
function hashRange(start: number, end: number, whole: (level: number, from: number, count: number) => Buffer): Buffer {
  const count = end - start;
  const split = count === 1 ? 1 : splitOf(count);
  if (count !== 1 && split * 2 !== count) {
    return nodeHash(hashRange(start, start + split, whole), hashRange(start + split, end, whole));
  }
  const level = Math.min(Math.floor(Math.log2(count) / TILE_HEIGHT), 6);
  const span = TILE_WIDTH ** level;
  return whole(level, start / span, count / span);
}

/** Runs a computation with dummy hashes to find the tiles that it needs. */
export function tilesNeeded(compute: (range: RangeHash) => unknown): TileId[] {
  const needed = new Map<string, TileId>();
  compute((start, end) =>
    hashRange(start, end, (level, from) => {
      const index = Math.floor(from / TILE_WIDTH);
      needed.set(`${level}/${index}`, { level, index });
      return EMPTY_ROOT;
    }),
  );
  return [...needed.values()];
}

export interface ChangedTile {
  readonly level: number;
  readonly index: number;
  readonly hashes: Buffer;
}

/** The right edge of a tree: the partial tile of each level, from which the tree grows and its root follows. */
export class TreeEdge {
  #size: number;
  readonly #partial: Buffer[][];

  /** `partial` are the hashes of the partial tiles from level 0 on; no bytes for an empty one. */
  constructor(size: number, partial: readonly Uint8Array[]) {
    this.#size = size;
    this.#partial = partial.map((hashes) =>
      Array.from({ length: hashes.length / HASH_BYTES }, (_, n) =>
        Buffer.from(hashes.subarray(n * HASH_BYTES, (n + 1) * HASH_BYTES)),
      ),
    );
    const isWhole = edgeTiles(size).every(({ width }, level) => this.#at(level).length === width);
    if (!isWhole) throw new Error(`the tiles do not make a tree of ${size} leaves`);
  }

  get size(): number {
    return this.#size;
  }

  /** Adds the hashes of leaves and returns the changed tiles, whole. */
  append(leaves: readonly Buffer[]): ChangedTile[] {
    const changed = new Map<string, ChangedTile>();
    for (const leaf of leaves) {
      this.#push(0, this.#size, leaf, changed);
      this.#size += 1;
    }
    this.#partial.forEach((hashes, level) => {
      const index = Math.floor(hashesAt(level, this.#size) / TILE_WIDTH);
      if (hashes.length > 0) changed.set(`${level}/${index}`, { level, index, hashes: Buffer.concat(hashes) });
    });
    return [...changed.values()];
  }

  #at(level: number): Buffer[] {
    this.#partial[level] ??= [];
    return this.#partial[level];
  }

  #push(level: number, position: number, added: Buffer, full: Map<string, ChangedTile>): void {
    const hashes = this.#at(level);
    hashes.push(added);
    if (hashes.length < TILE_WIDTH) return;
    const index = Math.floor(position / TILE_WIDTH);
    const tile = Buffer.concat(hashes);
    full.set(`${level}/${index}`, { level, index, hashes: tile });
    this.#partial[level] = [];
    this.#push(level + 1, index, fold(tile), full);
  }

  root(): Buffer {
    const peaks: Buffer[] = [];
    for (const hashes of this.#partial.toReversed()) {
      let at = 0;
      for (let run = TILE_WIDTH / 2; run >= 1; run /= 2) {
        if ((hashes.length & run) === 0) continue;
        peaks.push(fold(Buffer.concat(hashes.slice(at, at + run))));
        at += run;
      }
    }
    return peaks.length === 0 ? EMPTY_ROOT : peaks.reduceRight((right, left) => nodeHash(left, right));
  }
}

/** The partial tiles of a tree from level 0 on, including those of width 0. */
export function edgeTiles(size: number): { level: number; index: number; width: number }[] {
  const tiles = [];
  for (let level = 0, hashes = size; hashes > 0; level += 1, hashes = Math.floor(hashes / TILE_WIDTH)) {
    tiles.push({ level, index: Math.floor(hashes / TILE_WIDTH), width: hashes % TILE_WIDTH });
  }
  return tiles;
}

/** A bundle has each entry after its length (two bytes, big-endian). */
export function bundleOf(entries: readonly Uint8Array[]): Buffer {
  return Buffer.concat(entries.flatMap((entry) => [lengthOf(entry), entry]));
}

function lengthOf({ length }: Uint8Array): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(length);
  return bytes;
}

export function entriesOf(bundle: Uint8Array): Buffer[] {
  const bytes = Buffer.from(bundle);
  const entries: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 2 > bytes.length ? Number.POSITIVE_INFINITY : at + 2 + bytes.readUInt16BE(at);
    if (end > bytes.length) throw new Error('the bundle ends within an entry');
    entries.push(bytes.subarray(at + 2, end));
    at = end;
  }
  return entries;
}
