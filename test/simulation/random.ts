/** Random numbers that depend only on a seed. */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return { next, pick: <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)]! };
}
