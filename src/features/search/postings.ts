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

/** Segments a summary: one bit each, of a number that is not negative. */
export const MOST_SUMMARY_SEGMENTS = 63;

/** How large parts of the index are, and what is done to it at a time; smaller in tests. */
export interface IndexSizes {
  /** At most `BLOCK_POSTS`. */
  readonly blockPosts: number;
  /** A block with so many grams takes no further post: what a text is made of decides how much it takes to keep. */
  readonly blockGrams: number;
  /** At most `MOST_SEGMENT_BLOCKS`, with `joinedSegments` as many times. */
  readonly segmentBlocks: number;
  /** As many segments of `segmentBlocks` become one: each that a search asks has a price of its own. */
  readonly joinedSegments: number;
  /** At most `MOST_SUMMARY_SEGMENTS`. */
  readonly summarySegments: number;
  /** Postings that a statement goes through, well within its time limit. */
  readonly stepRows: number;
}

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

/** Where what is stored of a block ends that begins there. */
function endOf(bytes: Uint8Array, at: number): number {
  const count = bytes[at + 1]!;
  return at + 2 + (count === 0 ? BITMAP_BYTES : 2 * count);
}

/** Turns what a segment stores, in place, into what a larger one does in which its blocks come after so many others. */
export function moveBlocks(bytes: Uint8Array, before: number): void {
  for (let at = 0; at < bytes.length; at = endOf(bytes, at)) bytes[at]! += before;
}

/** By the number of a block in its segment. */
export type PlacesByBlock = ReadonlyMap<number, ReadonlySet<number>>;

/** The same without some places; the very same bytes when none is among them. */
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

/** Empty, when they were all that it lists. */
function listWithout(entry: Buffer, gone: ReadonlySet<number>): Buffer {
  const places = Array.from({ length: entry[1]! }, (_, n) => entry.readUInt16LE(2 + 2 * n));
  const left = places.filter((place) => !gone.has(place));
  if (left.length === places.length) return entry;
  if (left.length === 0) return Buffer.alloc(0);
  return Buffer.from([entry[0]!, left.length, ...left.flatMap((place) => [place & 255, place >> 8])]);
}

/** Of so few places it is looked at once whether all have them, as long as some are sought: most blocks have none then. */
const FEW_PLACES = 16;

/** Counts down how many places are sought before the rest is left for whoever wants it. */
export interface Sought {
  places: number;
}

/**
 * The blocks of a segment that all of some postings name, by their numbers there, each with the places that all of them have,
 * the last first: read when they are asked for, as most never are, but for those of which few stand in the first posting. The
 * second is asked next whether it has those, and the others mostly no more: a search goes fastest where these two tell the most
 * posts apart.
 */
export function intersect(postings: readonly Uint8Array[], sought: Sought): Map<number, () => number[]> {
  const common = new Map<number, () => number[]>();
  const [first] = postings as [Uint8Array];
  const begins = new Begins(postings);
  for (let at = 0; at < first.length; at = endOf(first, at)) {
    const block = first[at]!;
    if (sought.places > 0 && placesAt(first, at) <= FEW_PLACES) {
      const places = fewPlacesInAll(postings, begins, at);
      sought.places -= places.length;
      if (places.length > 0) common.set(block, () => places);
      continue;
    }
    const entries = begins.ofBlock(block);
    if (entries) common.set(block, () => placesInAll(postings, entries));
  }
  return common;
}

const NOWHERE = -1;
/** Used again by each call: hundreds of segments are gone through for a page. */
const BEGINS: Int32Array[] = [];

/** Where each of some postings stores a block: a posting is gone through when it is asked first, and many never are. */
class Begins {
  readonly #postings: readonly Uint8Array[];
  #gone = 0;

  constructor(postings: readonly Uint8Array[]) {
    this.#postings = postings;
  }

  /** Where what the posting at `n` stores of a block begins, or `NOWHERE`; after those before it. */
  of(n: number, block: number): number {
    while (this.#gone <= n) this.#goThrough(this.#gone++);
    return BEGINS[n]![block]!;
  }

  /** In each of them; undefined: one does not store it. */
  ofBlock(block: number): Int32Array | undefined {
    const entries = new Int32Array(this.#postings.length);
    for (let n = 0; n < entries.length; n++) {
      entries[n] = this.of(n, block);
      if (entries[n] === NOWHERE) return undefined;
    }
    return entries;
  }

  #goThrough(n: number): void {
    BEGINS[n] ??= new Int32Array(MOST_SEGMENT_BLOCKS);
    const [begins, bytes] = [BEGINS[n].fill(NOWHERE), this.#postings[n]!];
    for (let at = 0; at < bytes.length; at = endOf(bytes, at)) begins[bytes[at]!] = at;
  }
}

/** How many are stored there of a block; a bitmap counts as all. */
const placesAt = (bytes: Uint8Array, at: number): number => bytes[at + 1]! || BLOCK_POSTS;

/** Which of some postings stores the fewest places of a block. */
function fewestPlaces(postings: readonly Uint8Array[], entries: Int32Array): number {
  let [which, fewest] = [0, placesAt(postings[0]!, entries[0]!)];
  for (let n = 1; n < postings.length; n++) {
    const count = placesAt(postings[n]!, entries[n]!);
    if (count < fewest) [which, fewest] = [n, count];
  }
  return which;
}

/** Used again by each call. */
const SOME_PLACES = new Int32Array(FEW_PLACES);
const ALL_PLACES = new Int32Array(BLOCK_POSTS);

/** The places that all of them have in the block whose few places the first posting stores at `at`, the last first. */
function fewPlacesInAll(postings: readonly Uint8Array[], begins: Begins, at: number): number[] {
  const block = postings[0]![at]!;
  let count = readPlaces(SOME_PLACES, postings[0]!, at);
  for (let n = 1; n < postings.length && count > 0; n++) {
    const begin = begins.of(n, block);
    count = begin === NOWHERE ? 0 : keepHeld(SOME_PLACES, count, postings[n]!, begin);
  }
  return lastFirst(SOME_PLACES, count);
}

/** The places that all of them have in a block, the last first. */
function placesInAll(postings: readonly Uint8Array[], entries: Int32Array): number[] {
  const which = fewestPlaces(postings, entries);
  let count = readPlaces(ALL_PLACES, postings[which]!, entries[which]!);
  for (let n = 0; n < postings.length && count > 0; n++) {
    if (n !== which) count = keepHeld(ALL_PLACES, count, postings[n]!, entries[n]!);
  }
  return lastFirst(ALL_PLACES, count);
}

/** Of most blocks none is left, and to copy and sort those takes longer than to compare them. */
const lastFirst = (places: Int32Array, count: number): number[] =>
  count === 0 ? [] : Array.from(places.subarray(0, count)).sort((a, b) => b - a);

/** In any order; how many they are. */
function readPlaces(into: Int32Array, bytes: Uint8Array, at: number): number {
  const [listed, from] = [bytes[at + 1]!, at + 2];
  for (let n = 0; n < listed; n++) into[n] = listedAt(bytes, from, n);
  if (listed > 0) return listed;
  let count = 0;
  for (let n = 0; n < BITMAP_BYTES; n++) {
    const byte = bytes[from + n]!;
    for (let bit = 0; byte >> bit !== 0; bit++) if (byte & (1 << bit)) into[count++] = n * 8 + bit;
  }
  return count;
}

/** Moves those of the first `count` places to the front that stand in what is stored of a block; how many they are. */
function keepHeld(places: Int32Array, count: number, bytes: Uint8Array, at: number): number {
  const [listed, from] = [bytes[at + 1]!, at + 2];
  let kept = 0;
  for (let n = 0; n < count; n++) {
    const place = places[n]!;
    if (listed === 0 ? bytes[from + (place >> 3)]! & (1 << (place & 7)) : isListedAt(bytes, from, listed, place)) {
      places[kept++] = place;
    }
  }
  return kept;
}

function isListedAt(bytes: Uint8Array, from: number, count: number, place: number): boolean {
  const [low, high] = [place & 255, place >> 8];
  for (let n = from, end = from + 2 * count; n < end; n += 2)
    if (bytes[n] === low && bytes[n + 1] === high) return true;
  return false;
}

const listedAt = (bytes: Uint8Array, from: number, n: number): number =>
  bytes[from + 2 * n]! | (bytes[from + 2 * n + 1]! << 8);
