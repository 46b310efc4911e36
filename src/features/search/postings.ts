/**
 * Which posts of a segment hold a gram, as bytes: for each block with such posts its place in the segment (one byte), how
 * many they are (one byte, 0 for many) and their places in the block: two bytes each, or a bitmap when they are many.
 */

/** Posts a block. */
export const BLOCK_POSTS = 2_048;
/** Blocks a segment, at most 256. */
export const SEGMENT_BLOCKS = 32;
const BITMAP_BYTES = BLOCK_POSTS / 8;
/** More of them are shorter as a bitmap. */
const MOST_LISTED = BITMAP_BYTES / 2 - 1;

/** Both, which are smaller in tests. */
export interface IndexSizes {
  readonly blockPosts: number;
  readonly segmentBlocks: number;
}

/** The places in a block, one bit each. */
export type Places = Uint8Array;

/** Gathers the grams of a block, post by post in the order of their places. */
export class BlockPostings {
  readonly #places = new Map<number, number[]>();

  add(gram: number, place: number): void {
    const places = this.#places.get(gram);
    if (!places) this.#places.set(gram, [place]);
    else if (places.at(-1) !== place) places.push(place);
  }

  /** The grams and, end to end, what each is stored as in a segment of this block alone. */
  encode(): { grams: number[]; lengths: number[]; bytes: Buffer } {
    const parts = [...this.#places.values()].map(encodeBlock);
    return {
      grams: [...this.#places.keys()],
      lengths: parts.map(({ length }) => length),
      bytes: Buffer.concat(parts),
    };
  }
}

function encodeBlock(places: readonly number[]): Buffer {
  if (places.length > MOST_LISTED) {
    const bytes = Buffer.alloc(2 + BITMAP_BYTES);
    for (const place of places) bytes[2 + (place >> 3)]! |= 1 << (place & 7);
    return bytes;
  }
  const bytes = Buffer.alloc(2 + 2 * places.length);
  bytes[1] = places.length;
  for (const [n, place] of places.entries()) bytes.writeUInt16LE(place, 2 + 2 * n);
  return bytes;
}

/** What is stored of each block: its number in the segment, how many places are listed or 0, and the bytes of those. */
function* entries(bytes: Uint8Array): Generator<{ block: number; count: number; from: number; end: number }> {
  for (let at = 0; at < bytes.length; ) {
    const [block, count, from] = [bytes[at]!, bytes[at + 1]!, at + 2];
    at = from + (count === 0 ? BITMAP_BYTES : 2 * count);
    yield { block, count, from, end: at };
  }
}

/** The places by the number of the block in the segment. */
function decode(bytes: Uint8Array): Map<number, Places> {
  const blocks = new Map<number, Places>();
  for (const { block, count, from, end } of entries(bytes)) {
    blocks.set(block, count === 0 ? bytes.slice(from, end) : bitmapOf(bytes.subarray(from, end)));
  }
  return blocks;
}

/** The same without one place of one block; the very same bytes when that is not among them. */
export function withoutPlace(bytes: Buffer, block: number, place: number): Buffer {
  const entry = [...entries(bytes)].find((each) => each.block === block);
  if (!entry) return bytes;
  const { count, from, end } = entry;
  if (count === 0) {
    const [at, bit] = [from + (place >> 3), 1 << (place & 7)];
    if ((bytes[at]! & bit) === 0) return bytes;
    const rest = Buffer.from(bytes);
    rest[at]! &= ~bit;
    return rest;
  }
  const nth = Array.from({ length: count }, (_, n) => bytes.readUInt16LE(from + 2 * n)).indexOf(place);
  if (nth === -1) return bytes;
  if (count === 1) return Buffer.concat([bytes.subarray(0, from - 2), bytes.subarray(end)]);
  const rest = Buffer.concat([bytes.subarray(0, from + 2 * nth), bytes.subarray(from + 2 * nth + 2)]);
  rest[from - 1] = count - 1;
  return rest;
}

function bitmapOf(listed: Uint8Array): Places {
  const bitmap = new Uint8Array(BITMAP_BYTES);
  for (let at = 0; at < listed.length; at += 2) {
    const place = listed[at]! | (listed[at + 1]! << 8);
    bitmap[place >> 3]! |= 1 << (place & 7);
  }
  return bitmap;
}

/** The places that all of them have, by the number of the block. */
export function intersect(postings: readonly Uint8Array[]): Map<number, Places> {
  const [first, ...others] = postings.map(decode);
  const common = new Map<number, Places>();
  for (const [block, places] of first ?? []) {
    const theirs = others.map((other) => other.get(block));
    if (theirs.every((other) => other !== undefined && keepCommon(places, other))) common.set(block, places);
  }
  return common;
}

/** Clears what `other` does not have; whether anything is left. */
function keepCommon(places: Places, other: Places): boolean {
  let left = 0;
  for (let at = 0; at < BITMAP_BYTES; at++) left |= places[at]! &= other[at]!;
  return left !== 0;
}

/** The places of a bitmap, the last first. */
export function descending(places: Places): number[] {
  const listed: number[] = [];
  for (let place = BLOCK_POSTS - 1; place >= 0; place--)
    if (places[place >> 3]! & (1 << (place & 7))) listed.push(place);
  return listed;
}
