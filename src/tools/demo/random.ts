export interface Random {
  /** From 0 to below 1. */
  next(): number;
  pick<T>(from: readonly T[]): T;
}

/** Random numbers that depend only on a seed, so that every run makes the same forum. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return { next, pick: (from) => from[Math.floor(next() * from.length)]! };
}
