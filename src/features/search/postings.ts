import { setImmediate as letOthersRun } from 'node:timers/promises';

/**
 * Which posts of a segment hold a gram, as bytes: for each block with such posts its place in the segment (one byte), how
 * many they are (one byte, 0 for many) and their places in the block: two bytes each, or a bitmap when they are many.
 */

/** Posts a block. */
export const BLOCK_POSTS = 2_048;
/** How many posts hold a gram, on the average of a block that is full though its grams are few. */
const POSTS_A_GRAM = 8;
const BITMAP_BYTES = BLOCK_POSTS / 8;
/** More of them are shorter as a bitmap. */
const MOST_LISTED = BITMAP_BYTES / 2 - 1;

/** Blocks a segment: their places in it are bytes. */
export const MOST_SEGMENT_BLOCKS = 256;

/** How large parts of the index are, and what is done to it at a time; smaller in tests. */
export interface IndexSizes {
  /** At most `BLOCK_POSTS`. */
  readonly blockPosts: number;
  /** A block with so many grams takes no further post: what a text is made of decides how much it takes to keep. */
  readonly blockGrams: number;
  /** At most `MOST_SEGMENT_BLOCKS`. */
  readonly segmentBlocks: number;
  /** Postings that a statement goes through, well within its time limit. */
  readonly stepRows: number;
}

/** The places in a block, one bit each. */
export type Places = Uint8Array;

/** What is gone through without a pause: some milliseconds. */
const ENCODED_AT_ONCE = 50_000;

/** The grams of a block in their order and, end to end, what each is stored as in a segment of this block alone. */
export interface Encoded {
  readonly grams: Int32Array;
  readonly lengths: Int32Array;
  readonly bytes: Buffer;
}

/**
 * Gathers the grams of a block, post by post in the order of their places: a hash table in flat arrays, because a post has
 * some thousand of them, and a Map of lists would be most of what it costs to index it.
 */
export class BlockPostings {
  /** Where a gram has its number, from 1 on; 0 in a free slot. */
  #slots = new Int32Array(1 << 17);
  /** By number: a gram, how many posts hold it, and the place of the last of them. */
  #grams = new Int32Array(1 << 16);
  #counts = new Int32Array(1 << 16);
  #lastPlaces = new Int32Array(1 << 16);
  #used = 0;
  /** What was added: the numbers of grams, and places. */
  #added = new Int32Array(1 << 16);
  #places = new Int32Array(1 << 16);
  #length = 0;

  add(gram: number, place: number): void {
    if (place >= BLOCK_POSTS) throw new RangeError(`a block has no place ${place}`);
    const number = this.#numberOf(gram);
    if (this.#counts[number] !== 0 && this.#lastPlaces[number] === place) return;
    this.#counts[number]!++;
    this.#lastPlaces[number] = place;
    if (this.#length === this.#added.length) {
      this.#added = doubled(this.#added);
      this.#places = doubled(this.#places);
    }
    this.#added[this.#length] = number;
    this.#places[this.#length++] = place;
  }

  #numberOf(gram: number): number {
    const slot = this.#slotOf(gram);
    if (this.#slots[slot] !== 0) return this.#slots[slot]!;
    if (this.#used === this.#grams.length - 1) {
      this.#grow();
      return this.#numberOf(gram);
    }
    this.#grams[++this.#used] = gram;
    this.#slots[slot] = this.#used;
    return this.#used;
  }

  #slotOf(gram: number): number {
    const mask = this.#slots.length - 1;
    let slot = gram & mask;
    while (this.#slots[slot] !== 0 && this.#grams[this.#slots[slot]!] !== gram) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    this.#grams = doubled(this.#grams);
    this.#counts = doubled(this.#counts);
    this.#lastPlaces = doubled(this.#lastPlaces);
    this.#slots = new Int32Array(this.#slots.length * 2);
    for (let number = 1; number <= this.#used; number++) this.#slots[this.#slotOf(this.#grams[number]!)] = number;
  }

  /** Whether it has so many grams, or the places of so many that it takes as much. */
  isFull(blockGrams: number): boolean {
    return this.#used >= blockGrams || this.#length >= blockGrams * POSTS_A_GRAM;
  }

  /** `placeOf` turns the place that was added into that in the block. */
  async encode(placeOf: (added: number) => number): Promise<Encoded> {
    const grams = this.#grams.slice(1, this.#used + 1).sort();
    const lengths = new Int32Array(grams.length);
    /** By number: where the next place goes, or where the bitmap begins. */
    const into = new Int32Array(this.#used + 1);
    let end = 0;
    for (let n = 0; n < grams.length; n++) {
      if (n % ENCODED_AT_ONCE === 0) await letOthersRun();
      const number = this.#slots[this.#slotOf(grams[n]!)]!;
      into[number] = end + 2;
      lengths[n] = 2 + placesBytes(this.#counts[number]!);
      end += lengths[n]!;
    }
    const bytes = Buffer.alloc(end);
    for (let number = 1; number <= this.#used; number++) {
      if (isListed(this.#counts[number]!)) bytes[into[number]! - 1] = this.#counts[number]!;
    }
    for (let n = 0; n < this.#length; n++) {
      if (n % ENCODED_AT_ONCE === 0) await letOthersRun();
      const [number, place] = [this.#added[n]!, placeOf(this.#places[n]!)];
      if (isListed(this.#counts[number]!)) into[number] = bytes.writeUInt16LE(place, into[number]);
      else bytes[into[number]! + (place >> 3)]! |= 1 << (place & 7);
    }
    return { grams, lengths, bytes };
  }
}

function doubled(array: Int32Array): Int32Array<ArrayBuffer> {
  const longer = new Int32Array(array.length * 2);
  longer.set(array);
  return longer;
}

const isListed = (count: number): boolean => count <= MOST_LISTED;
const placesBytes = (count: number): number => (isListed(count) ? 2 * count : BITMAP_BYTES);

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

/** By the number of a block in its segment. */
export type PlacesByBlock = ReadonlyMap<number, ReadonlySet<number>>;

/** The same without some places; the very same bytes when none is among them. */
export function withoutPlaces(bytes: Buffer, gone: PlacesByBlock): Buffer {
  let isChanged = false;
  const kept = [...entries(bytes)].map(({ block, count, from, end }) => {
    const entry = bytes.subarray(from - 2, end);
    const places = gone.get(block);
    const rest = !places ? entry : count === 0 ? bitmapWithout(entry, places) : listWithout(entry, places);
    isChanged ||= rest !== entry;
    return rest;
  });
  return isChanged ? Buffer.concat(kept) : bytes;
}

function bitmapWithout(entry: Buffer, gone: ReadonlySet<number>): Buffer {
  const rest = Buffer.from(entry);
  for (const place of gone) rest[2 + (place >> 3)]! &= ~(1 << (place & 7));
  return rest.equals(entry) ? entry : rest;
}

/** Empty, when they were all that it lists. */
function listWithout(entry: Buffer, gone: ReadonlySet<number>): Buffer {
  const places = Array.from({ length: entry[1]! }, (_, n) => entry.readUInt16LE(2 + 2 * n));
  const left = places.filter((place) => !gone.has(place));
  if (left.length === places.length) return entry;
  if (left.length === 0) return Buffer.alloc(0);
  return Buffer.from([entry[0]!, left.length, ...left.flatMap((place) => [place & 255, place >> 8])]);
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
