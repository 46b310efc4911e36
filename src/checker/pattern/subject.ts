import type { Positions } from './positions.ts';
import { type UnitSet, WORD } from './units.ts';

/** A string made ready for matching: where each set of code units stands in it, each set looked up once. */
export class Subject {
  /** UTF-16 code units, at most 65,535. */
  readonly length: number;
  /** unit << 16 | position, ascending: the positions of a range of units are one slice. */
  readonly #occurrences: Uint32Array;
  readonly #known = new Map<string, Positions>();
  #boundaries: Positions | undefined;

  constructor(text: string) {
    this.length = text.length;
    this.#occurrences = new Uint32Array(text.length);
    for (let i = 0; i < text.length; i += 1) this.#occurrences[i] = ((text.charCodeAt(i) << 16) | i) >>> 0;
    this.#occurrences.sort();
  }

  /** No position at all. */
  none(): Positions {
    return new Int32Array((this.length >>> 5) + 1);
  }

  /** Every position, the one behind the last unit too. */
  all(): Positions {
    const all = this.none().fill(-1);
    all[all.length - 1] = -1 >>> (31 - (this.length & 31));
    return all;
  }

  /** The positions of the units in `set`. The caller must not change it. */
  positionsOf(set: UnitSet): Positions {
    let positions = this.#known.get(set.key);
    if (positions === undefined) {
      positions = this.#find(set);
      this.#known.set(set.key, positions);
    }
    return positions;
  }

  /** The positions between a word unit and one that is none, or the start or the end. Not to be changed either. */
  boundaries(): Positions {
    if (this.#boundaries !== undefined) return this.#boundaries;
    const word = this.positionsOf(WORD);
    this.#boundaries = word.map((bits, i) => bits ^ ((bits << 1) | (i > 0 ? word[i - 1]! >>> 31 : 0)));
    return this.#boundaries;
  }

  /** Marks the units that are in `set`, or unmarks those that are not: whichever are fewer. */
  #find(set: UnitSet): Positions {
    const slices = set.ranges.map(([low, high]) => [this.#firstFrom(low), this.#firstFrom(high + 1)] as const);
    const count = slices.reduce((sum, [from, to]) => sum + to - from, 0);
    if (2 * count <= this.length) {
      const found = this.none();
      for (const [from, to] of slices) this.#flip(found, from, to);
      return found;
    }
    const found = this.all();
    const last = found.length - 1;
    found[last] = found[last]! ^ (1 << (this.length & 31));
    let next = 0;
    for (const [from, to] of slices) {
      this.#flip(found, next, from);
      next = to;
    }
    this.#flip(found, next, this.length);
    return found;
  }

  #flip(positions: Positions, from: number, to: number): void {
    for (let i = from; i < to; i += 1) {
      const position = this.#occurrences[i]! & 0xffff;
      positions[position >>> 5] = positions[position >>> 5]! ^ (1 << (position & 31));
    }
  }

  /** Index of the first occurrence of a unit that is not below `unit`. */
  #firstFrom(unit: number): number {
    let from = 0;
    let to = this.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.#occurrences[middle]! >>> 16 < unit) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
