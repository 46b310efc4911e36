/**
 * A set of positions in a subject of n code units, 0 to n (n: behind the last unit), one bit each. Whoever shifts a
 * set masks it with units first, and no unit stands at n, so that no bit above n is ever set.
 */
export type Positions = Int32Array<ArrayBuffer>;

/** Adds to `set`, or puts in its place, the positions of `set` within `through` moved on by `distance`. */
export function advance(set: Positions, through: Positions, distance: number, keep: boolean): void {
  const words = distance >>> 5;
  const bits = distance & 31;
  // From the end on, because a word is made of those before it.
  for (let i = set.length - 1; i >= 0; i -= 1) {
    const source = i - words;
    let moved = source < 0 ? 0 : (set[source]! & through[source]!) << bits;
    if (bits > 0 && source > 0) moved |= (set[source - 1]! & through[source - 1]!) >>> (32 - bits);
    set[i] = keep ? set[i]! | moved : moved;
  }
}

/**
 * Adds every position reached from `set` over any number of `units` in a row. In each run of units the addition
 * carries from the first position of the set to the end of the run; what the sum changed is what was passed.
 */
export function advanceFreely(set: Positions, units: Positions): void {
  let carry = 0;
  for (let i = 0; i < set.length; i += 1) {
    const run = units[i]!;
    const sum = ((set[i]! & run) >>> 0) + (run >>> 0) + carry;
    carry = sum > 0xffffffff ? 1 : 0;
    set[i] = set[i]! | (sum ^ run);
  }
}

/** Adds every position reached from `set` over at most `limit` of `units` in a row, in log2(limit) sweeps. */
export function advanceUpTo(set: Positions, units: Positions, limit: number): void {
  const runs = units.slice();
  let covered = 0;
  // `runs` holds where `covered + 1` units stand in a row.
  while (2 * covered + 1 <= limit) {
    advance(set, runs, covered + 1, true);
    covered = 2 * covered + 1;
    shorten(runs, (covered + 1) >>> 1);
  }
  if (covered < limit) advance(set, runsOf(units, limit - covered), limit - covered, true);
}

/** The positions where `count` (at least 1) of `units` stand in a row. */
export function runsOf(units: Positions, count: number): Positions {
  const runs = units.slice();
  for (let length = 1; length < count; ) {
    const step = Math.min(length, count - length);
    shorten(runs, step);
    length += step;
  }
  return runs;
}

/** Keeps of `runs` the positions that have a run `step` further on too. */
function shorten(runs: Positions, step: number): void {
  const words = step >>> 5;
  const bits = step & 31;
  for (let i = 0; i < runs.length; i += 1) {
    const source = i + words;
    let moved = source < runs.length ? runs[source]! >>> bits : 0;
    if (bits > 0 && source + 1 < runs.length) moved |= runs[source + 1]! << (32 - bits);
    runs[i] = runs[i]! & moved;
  }
}
