import type { LookedUp, Matches } from './segments.ts';

/** Right above every id that begins like this one, as a bound that is not reached itself. */
export const above = (postId: string): string => `${postId}~`;
export const greatest = (ids: readonly string[]): string => ids.toSorted().at(-1) ?? '';

/**
 * The posts that segments name, the newest first. Ids are drawn before posts are stored, so blocks may overlap a little: a
 * post counts as looked at only once nothing can come any more that is newer.
 */
export class Candidates {
  readonly #range: { readonly before: string; readonly end: string };
  readonly #rest: string | null;
  readonly #blocks: readonly Matches[];
  /** How many of them were begun. */
  #begun = 0;
  /** Of the block that was begun. */
  #places: { readonly block: number; readonly left: number[] } | undefined;
  #held: string[] = [];

  constructor({ matches, rest }: LookedUp, range: { before: string; end: string }) {
    this.#range = range;
    this.#rest = rest;
    this.#blocks = matches.filter(({ newest }) => newest >= range.end);
  }

  /** The next `count` places of blocks, or what is left; `settle` takes their ids. */
  take(count: number): { block: number; place: number }[] {
    const taken: { block: number; place: number }[] = [];
    while (taken.length < count) {
      if (!this.#places || this.#places.left.length === 0) {
        const next = this.#blocks[this.#begun];
        if (!next) break;
        this.#begun++;
        this.#places = { block: next.block, left: next.places() };
      }
      const { block, left } = this.#places;
      taken.push(...left.splice(0, count - taken.length).map((place) => ({ block, place })));
    }
    return taken;
  }

  get areLooked(): boolean {
    return this.#begun === this.#blocks.length && (this.#places?.left.length ?? 0) === 0;
  }

  /** Those of the ids that nothing newer can come to, and down to where that holds; the others are kept for the next call. */
  settle(taken: readonly string[]): { postIds: string[]; next: string } {
    const { before, end } = this.#range;
    const bounds = [this.#blocks[this.#begun]?.newest, this.#rest]
      .filter((bound) => typeof bound === 'string')
      .map(above);
    const isBegun = (this.#places?.left.length ?? 0) > 0;
    const next = greatest([end, ...bounds, ...(isBegun ? [taken.at(-1)!] : [])]);
    const known = [...new Set([...this.#held, ...taken])];
    this.#held = known.filter((id) => id < next);
    const postIds = known.filter((id) => id >= next && id < before);
    return { postIds, next: [next, before].toSorted()[0]! };
  }
}
