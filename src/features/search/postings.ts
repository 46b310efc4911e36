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

/** The places by the number of the block in the segment. */
function decode(bytes: Uint8Array): Map<number, Places> {
  const blocks = new Map<number, Places>();
  for (let at = 0; at < bytes.length; ) {
    const [block, count] = [bytes[at]!, bytes[at + 1]!];
    const end = at + 2 + (count === 0 ? BITMAP_BYTES : 2 * count);
    blocks.set(block, count === 0 ? bytes.slice(at + 2, end) : bitmapOf(bytes.subarray(at + 2, end)));
    at = end;
  }
  return blocks;
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
