import type { Positions } from './positions.ts';
import { type UnitSet, WORD } from './units.ts';

/** A string prepared for matching. It computes the positions of each set of code units once. */
export class Subject {
  /** UTF-16 code units, at most 65,535. */
  readonly length: number;
  /** `unit << 16 | position`, sorted, so that the positions of a range of units are one slice. */
  readonly #occurrences: Uint32Array;
  readonly #known = new Map<string, Positions>();
  #boundaries: Positions | undefined;

  constructor(text: string) {
    this.length = text.length;
    this.#occurrences = new Uint32Array(text.length);
    for (let i = 0; i < text.length; i += 1) this.#occurrences[i] = ((text.charCodeAt(i) << 16) | i) >>> 0;
    this.#occurrences.sort();
  }

  none(): Positions {
    return new Int32Array((this.length >>> 5) + 1);
  }

  all(): Positions {
    const all = this.none().fill(-1);
    all[all.length - 1] = -1 >>> (31 - (this.length & 31));
    return all;
  }

  /** The positions of the units in `set`. Callers must not change the result. */
  positionsOf(set: UnitSet): Positions {
    let positions = this.#known.get(set.key);
    if (positions === undefined) {
      positions = this.#find(set);
      this.#known.set(set.key, positions);
    }
    return positions;
  }

  boundaries(): Positions {
    if (this.#boundaries !== undefined) return this.#boundaries;
    const word = this.positionsOf(WORD);
    this.#boundaries = word.map((bits, i) => bits ^ ((bits << 1) | (i > 0 ? word[i - 1]! >>> 31 : 0)));
    return this.#boundaries;
  }

  #find(set: UnitSet): Positions {
    const found = this.none();
    for (const [low, high] of set.ranges) {
      for (let i = this.#firstFrom(low), end = this.#firstFrom(high + 1); i < end; i += 1) {
        const position = this.#occurrences[i]! & 0xffff;
        found[position >>> 5] = found[position >>> 5]! | (1 << (position & 31));
      }
    }
    return found;
  }

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
