/** A set of positions, one bit each: 0 to n in a subject of n units, where n is the end. Bits above n are never set. */
export type Positions = Int32Array<ArrayBuffer>;

/** Moves the positions of `set` that are in `through` by `distance`, and keeps the old positions too if `keep`. */
export function advance(set: Positions, through: Positions, distance: number, keep: boolean): void {
  const words = distance >>> 5;
  const bits = distance & 31;
  // From the end, because each word depends on earlier ones.
  for (let i = set.length - 1; i >= 0; i -= 1) {
    const source = i - words;
    let moved = source < 0 ? 0 : (set[source]! & through[source]!) << bits;
    if (bits > 0 && source > 0) moved |= (set[source - 1]! & through[source - 1]!) >>> (32 - bits);
    set[i] = keep ? set[i]! | moved : moved;
  }
}

/** Adds all that `set` reaches over `units`: an addition carries to the end of each run; changed bits were passed. */
export function advanceFreely(set: Positions, units: Positions): void {
  let carry = 0;
  for (let i = 0; i < set.length; i += 1) {
    const run = units[i]!;
    const sum = ((set[i]! & run) >>> 0) + (run >>> 0) + carry;
    carry = sum > 0xffffffff ? 1 : 0;
    set[i] = set[i]! | (sum ^ run);
  }
}

/** Adds every position that `set` reaches over at most `limit` consecutive `units`, in log2(limit) sweeps. */
export function advanceUpTo(set: Positions, units: Positions, limit: number): void {
  const runs = units.slice();
  let covered = 0;
  // `runs` contains the starts of `covered + 1` consecutive units.
  while (2 * covered + 1 <= limit) {
    advance(set, runs, covered + 1, true);
    covered = 2 * covered + 1;
    shorten(runs, (covered + 1) >>> 1);
  }
  if (covered < limit) advance(set, runsOf(units, limit - covered), limit - covered, true);
}

/** The positions where `count` (at least 1) consecutive `units` begin. */
export function runsOf(units: Positions, count: number): Positions {
  const runs = units.slice();
  for (let length = 1; length < count; ) {
    const step = Math.min(length, count - length);
    shorten(runs, step);
    length += step;
  }
  return runs;
}

/** Keeps the positions of `runs` that have another run `step` positions later. */
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
