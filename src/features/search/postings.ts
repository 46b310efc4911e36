import { setImmediate as letOthersRun } from 'node:timers/promises';

/** The bytes of a posting: which posts of a segment contain a gram. README.md draws the format. */

/** Posts per block, at most: a bitmap has one bit for each. */
export const BLOCK_POSTS = 2_048;
const BITMAP_BYTES = BLOCK_POSTS / 8;
/** A longer list would take as much space as a bitmap. */
const MAX_LISTED = BITMAP_BYTES / 2 - 1;
/** Blocks per segment, at most: the place of a block is one byte. */
export const MAX_SEGMENT_BLOCKS = 256;

/** The sizes of the parts of the index and of the steps of its maintenance. Tests use smaller ones. */
export interface IndexSizes {
  readonly blockPosts: number;
  /** A block with this many distinct grams is full. */
  readonly blockGrams: number;
  /** Blocks per merged segment. */
  readonly segmentBlocks: number;
  /** Merged segments per joined segment. */
  readonly joinedSegments: number;
  /** Postings that one statement reads or writes, well within its time limit. */
  readonly stepRows: number;
}

/** A full block has 8 posts per gram on average, if it has fewer than `blockGrams` grams. */
const POSTS_PER_GRAM = 8;
/** Iterations without a pause for other work: a few milliseconds. */
const ENCODED_AT_ONCE = 50_000;

/** The sorted grams of a block, and their postings end to end. */
export interface EncodedPostings {
  readonly grams: Int32Array;
  readonly lengths: Int32Array;
  readonly bytes: Buffer;
}

/** A hash table in flat arrays: a Map takes 1.5 to 2 times as long, and a post has about a thousand grams. */
export class BlockPostings {
  /** The number of the gram in each bucket, from 1; 0 in an empty bucket. */
  #buckets = new Int32Array(1 << 17);
  /** By number: the gram, how many posts contain it, and the place of the last one. */
  #grams = new Int32Array(1 << 16);
  #counts = new Int32Array(1 << 16);
  #lastPlaces = new Int32Array(1 << 16);
  #used = 0;
  /** Every addition: the number of the gram, and the place of the post. */
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
    const bucket = this.#bucketOf(gram);
    if (this.#buckets[bucket] !== 0) return this.#buckets[bucket]!;
    if (this.#used === this.#grams.length - 1) {
      this.#grow();
      return this.#numberOf(gram);
    }
    this.#grams[++this.#used] = gram;
    this.#buckets[bucket] = this.#used;
    return this.#used;
  }

  #bucketOf(gram: number): number {
    const mask = this.#buckets.length - 1;
    let bucket = gram & mask;
    while (this.#buckets[bucket] !== 0 && this.#grams[this.#buckets[bucket]!] !== gram) bucket = (bucket + 1) & mask;
    return bucket;
  }

  #grow(): void {
    this.#grams = doubled(this.#grams);
    this.#counts = doubled(this.#counts);
    this.#lastPlaces = doubled(this.#lastPlaces);
    this.#buckets = new Int32Array(this.#buckets.length * 2);
    for (let number = 1; number <= this.#used; number++) this.#buckets[this.#bucketOf(this.#grams[number]!)] = number;
  }

  /** Whether the block has `blockGrams` grams, or as many places as that many grams have on average. */
  isFull(blockGrams: number): boolean {
    return this.#used >= blockGrams || this.#length >= blockGrams * POSTS_PER_GRAM;
  }

  /** `placeOf` returns the place in the block for the place that was added. */
  async encode(placeOf: (added: number) => number): Promise<EncodedPostings> {
    const grams = this.#grams.slice(1, this.#used + 1).sort();
    const lengths = new Int32Array(grams.length);
    /** By number: the offset of the next place in a list, or of the bitmap. */
    const into = new Int32Array(this.#used + 1);
    let end = 0;
    for (let n = 0; n < grams.length; n++) {
      if (n % ENCODED_AT_ONCE === 0) await letOthersRun();
      const number = this.#buckets[this.#bucketOf(grams[n]!)]!;
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

const isListed = (count: number): boolean => count <= MAX_LISTED;
const placesBytes = (count: number): number => (isListed(count) ? 2 * count : BITMAP_BYTES);

/** The end of the block's entry that begins at `at`. */
function endOf(bytes: Uint8Array, at: number): number {
  const count = bytes[at + 1]!;
  return at + 2 + (count === 0 ? BITMAP_BYTES : 2 * count);
}

/**
 * Adds `before` to the place of each block, in place, for a joined segment where these blocks follow as many others.
 */
export function moveBlocks(bytes: Uint8Array, before: number): void {
  for (let at = 0; at < bytes.length; at = endOf(bytes, at)) bytes[at]! += before;
}

/** Places of posts, by the place of their block in the segment. */
export type PlacesByBlock = ReadonlyMap<number, ReadonlySet<number>>;

/** The posting without the places in `gone`; the same Buffer if it contains none of them. */
export function withoutPlaces(bytes: Buffer, gone: PlacesByBlock): Buffer {
  const kept: Buffer[] = [];
  let keptTo = 0;
  for (let at = 0, end = 0; at < bytes.length; at = end) {
    end = endOf(bytes, at);
    const places = gone.get(bytes[at]!);
    if (!places) continue;
    const entry = bytes.subarray(at, end);
    const rest = entry[1] === 0 ? bitmapWithout(entry, places) : listWithout(entry, places);
    if (rest === entry) continue;
    kept.push(bytes.subarray(keptTo, at), rest);
    keptTo = end;
  }
  return keptTo === 0 ? bytes : Buffer.concat([...kept, bytes.subarray(keptTo)]);
}

function bitmapWithout(entry: Buffer, gone: ReadonlySet<number>): Buffer {
  const rest = Buffer.from(entry);
  for (const place of gone) rest[2 + (place >> 3)]! &= ~(1 << (place & 7));
  return rest.equals(entry) ? entry : rest;
}

function listWithout(entry: Buffer, gone: ReadonlySet<number>): Buffer {
  const places = Array.from({ length: entry[1]! }, (_, n) => entry.readUInt16LE(2 + 2 * n));
  const left = places.filter((place) => !gone.has(place));
  if (left.length === places.length) return entry;
  if (left.length === 0) return Buffer.alloc(0);
  return Buffer.from([entry[0]!, left.length, ...left.flatMap((place) => [place & 255, place >> 8])]);
}

/**
 * A block with at most this many candidate places is intersected at once, because most such blocks have no common
 * place.
 */
const FEW_PLACES = 16;

/**
 * Intersects blocks with few candidates at once while `sought.places` is positive, the others on demand, because most
 * pages never reach them. It is fastest if the first posting is the shortest.
 */
export function intersect(postings: readonly Uint8Array[], sought: { places: number }): Map<number, () => number[]> {
  const common = new Map<number, () => number[]>();
  const [first, ...others] = postings as [Uint8Array, ...Uint8Array[]];
  const offsets = others.map(offsetsByBlock);
  for (let at = 0; at < first.length; at = endOf(first, at)) {
    const block = first[at]!;
    const entries = [at, ...offsets.map((each) => each[block]!)];
    if (entries.includes(NO_ENTRY)) continue;
    const isFew = sought.places > 0 && countAt(first, at) <= FEW_PLACES;
    if (!isFew) {
      common.set(block, () => commonPlaces(postings, entries));
      continue;
    }
    const places = commonPlaces(postings, entries);
    sought.places -= places.length;
    if (places.length > 0) common.set(block, () => places);
  }
  return common;
}

const NO_ENTRY = -1;

/** The offset of each block's entry in a posting. */
function offsetsByBlock(bytes: Uint8Array): Int32Array {
  const offsets = new Int32Array(MAX_SEGMENT_BLOCKS).fill(NO_ENTRY);
  for (let at = 0; at < bytes.length; at = endOf(bytes, at)) offsets[bytes[at]!] = at;
  return offsets;
}

/** How many places an entry lists; a bitmap counts as all. */
const countAt = (bytes: Uint8Array, at: number): number => bytes[at + 1]! || BLOCK_POSTS;

/** Reused by every call. */
const PLACES = new Int32Array(BLOCK_POSTS);

/** The places that all postings contain in a block, last first. Starts from the shortest entry. */
function commonPlaces(postings: readonly Uint8Array[], entries: readonly number[]): number[] {
  const counts = entries.map((at, n) => countAt(postings[n]!, at));
  const shortest = counts.indexOf(Math.min(...counts));
  let count = readPlaces(postings[shortest]!, entries[shortest]!);
  for (let n = 0; n < postings.length && count > 0; n++) {
    if (n !== shortest) count = retainPlaces(count, postings[n]!, entries[n]!);
  }
  // Most blocks have no common place: copying and sorting is skipped for them.
  return count === 0 ? [] : Array.from(PLACES.subarray(0, count)).sort((a, b) => b - a);
}

/** Reads the places of an entry into `PLACES`, and returns how many there are. */
function readPlaces(bytes: Uint8Array, at: number): number {
  const [listed, from] = [bytes[at + 1]!, at + 2];
  for (let n = 0; n < listed; n++) PLACES[n] = bytes[from + 2 * n]! | (bytes[from + 2 * n + 1]! << 8);
  if (listed > 0) return listed;
  let count = 0;
  for (let place = 0; place < BLOCK_POSTS; place++) if (isInBitmap(bytes, from, place)) PLACES[count++] = place;
  return count;
}

/** Moves those of the first `count` of `PLACES` to the front that an entry contains, and returns how many they are. */
function retainPlaces(count: number, bytes: Uint8Array, at: number): number {
  const [listed, from] = [bytes[at + 1]!, at + 2];
  let kept = 0;
  for (let n = 0; n < count; n++) {
    const place = PLACES[n]!;
    if (listed === 0 ? isInBitmap(bytes, from, place) : isInList(bytes, from, listed, place)) PLACES[kept++] = place;
  }
  return kept;
}

const isInBitmap = (bytes: Uint8Array, from: number, place: number): boolean =>
  (bytes[from + (place >> 3)]! & (1 << (place & 7))) !== 0;

function isInList(bytes: Uint8Array, from: number, count: number, place: number): boolean {
  const [low, high] = [place & 255, place >> 8];
  for (let n = from, end = from + 2 * count; n < end; n += 2)
    if (bytes[n] === low && bytes[n + 1] === high) return true;
  return false;
}
