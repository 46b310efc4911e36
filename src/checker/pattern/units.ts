/** A set of UTF-16 code units: inclusive ranges, ascending and neither touching nor overlapping. */
export interface UnitSet {
  readonly ranges: readonly UnitRange[];
  /** Equal for equal sets; a key of caches. */
  readonly key: string;
}

export type UnitRange = readonly [low: number, high: number];

const LAST_UNIT = 0xffff;

export function unitSet(ranges: readonly UnitRange[]): UnitSet {
  const merged: [number, number][] = [];
  for (const [low, high] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && low <= last[1] + 1) last[1] = Math.max(last[1], high);
    else merged.push([low, high]);
  }
  return { ranges: merged, key: merged.join(';') };
}

export function complement(set: UnitSet): UnitSet {
  const gaps: UnitRange[] = [];
  let next = 0;
  for (const [low, high] of set.ranges) {
    if (low > next) gaps.push([next, low - 1]);
    next = high + 1;
  }
  if (next <= LAST_UNIT) gaps.push([next, LAST_UNIT]);
  return unitSet(gaps);
}

export function singleUnit(unit: number): UnitSet {
  return { ranges: [[unit, unit]], key: `${unit},${unit}` };
}

const DIGITS = unitSet([[0x30, 0x39]]);

/** The units of `\w` and `\b`: only ASCII, because there are no flags. */
export const WORD = unitSet([
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
]);

const SPACE = unitSet([
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]);

export const DOT = complement(
  unitSet([
    [0x0a, 0x0a],
    [0x0d, 0x0d],
    [0x2028, 0x2029],
  ]),
);

export const CLASS_ESCAPES: ReadonlyMap<string, UnitSet> = new Map([
  ['d', DIGITS],
  ['D', complement(DIGITS)],
  ['w', WORD],
  ['W', complement(WORD)],
  ['s', SPACE],
  ['S', complement(SPACE)],
]);
