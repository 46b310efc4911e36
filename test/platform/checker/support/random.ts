/** Random choices from a seed (mulberry32), so that a failure can be repeated. */
export interface Random {
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  pick<T>(items: readonly T[]): T;
  /** True with the given probability. */
  chance(probability: number): boolean;
  list<T>(length: number, item: () => T): T[];
}

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    below,
    pick: (items) => items[below(items.length)]!,
    chance: (probability) => next() < probability,
    list: (length, item) => Array.from({ length }, item),
  };
}

/** The seed of this run: `CHECKER_SEED`, or another one each time. It belongs into the message of every failure. */
export const SEED = Number(process.env.CHECKER_SEED ?? Date.now() % 1_000_000_007);
