import { MAX_COUNT, MAX_GROUP_NESTING, MAX_PATTERN_CHARACTERS } from '../limits.ts';
import { CLASS_ESCAPES, complement, DOT, singleUnit, type UnitRange, type UnitSet, unitSet } from './units.ts';

export type Pattern = readonly Branch[];
export type Branch = readonly Term[];
export type Term =
  | { readonly kind: 'atom'; readonly units: UnitSet; readonly min: number; readonly max: number }
  | { readonly kind: 'assertion'; readonly at: 'start' | 'end' | 'boundary' | 'inside' }
  | { readonly kind: 'group'; readonly branches: Pattern };

export class PatternRefusal extends Error {
  override readonly name = 'PatternRefusal';
}

const QUANTIFIER = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/y;
const UNIT_ESCAPE = /x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|0(?!\d)|[tnvfr]|[!-/:-@[-`{-~]/y;
const CONTROLS: Readonly<Record<string, number>> = { '0': 0, t: 9, n: 10, v: 11, f: 12, r: 13 };
const ASSERTIONS = { '^': 'start', $: 'end', '\\b': 'boundary', '\\B': 'inside' } as const;
/** Groups of other dialects by their beginning; the first match counts. */
const UNSUPPORTED_GROUPS = [
  ['(?=', 'look-ahead'],
  ['(?!', 'look-ahead'],
  ['(?<=', 'look-behind'],
  ['(?<!', 'look-behind'],
  ['(?<', 'a named group'],
  ['(?P', 'a named group'],
] as const;
const SYNTAX_CHARACTER = /[\^$\\.*+?()[\]{}|]/;
const SURROGATE = /[\ud800-\udfff]/;

/** Throws `PatternRefusal` outside docs/challenges#patterns, for example for Annex B, except `\_`. */
export function parsePattern(text: string): Pattern {
  if (text.length > 2 * MAX_PATTERN_CHARACTERS || [...text].length > MAX_PATTERN_CHARACTERS)
    throw new PatternRefusal(`longer than ${MAX_PATTERN_CHARACTERS} characters`);
  if (/\p{Surrogate}/u.test(text)) throw new PatternRefusal('a lone surrogate');
  const cursor: Cursor = { text, at: 0 };
  const { branches } = readBranches(cursor, 0);
  if (cursor.at < text.length) throw refusal(cursor, 'an unmatched )');
  return branches;
}

interface Cursor {
  readonly text: string;
  at: number;
}

/** Whether a match can start or end with a quantified atom, or hold no atom. Adjacent quantified atoms are rejected. */
interface Edges {
  readonly opens: boolean;
  readonly closes: boolean;
  readonly transparent: boolean;
}

interface Piece {
  readonly terms: readonly Term[];
  readonly edges: Edges;
}

const NO_ATOM: Edges = { opens: false, closes: false, transparent: true };

function readBranches(cursor: Cursor, nesting: number): { branches: Pattern; edges: Edges } {
  const first = readBranch(cursor, nesting);
  const branches = [first.terms];
  let { opens, closes, transparent } = first.edges;
  while (cursor.text[cursor.at] === '|') {
    cursor.at += 1;
    const { terms, edges } = readBranch(cursor, nesting);
    branches.push(terms);
    opens ||= edges.opens;
    closes ||= edges.closes;
    transparent ||= edges.transparent;
  }
  return { branches, edges: { opens, closes, transparent } };
}

function readBranch(cursor: Cursor, nesting: number): Piece {
  const terms: Term[] = [];
  let before = NO_ATOM;
  while (!['|', ')', undefined].includes(cursor.text[cursor.at])) {
    const { terms: read, edges } = readTerm(cursor, nesting);
    if (before.closes && edges.opens) throw refusal(cursor, 'adjacent quantified atoms');
    terms.push(...read);
    before = {
      opens: before.opens || (before.transparent && edges.opens),
      closes: edges.closes || (edges.transparent && before.closes),
      transparent: before.transparent && edges.transparent,
    };
  }
  return { terms, edges: before };
}

function readTerm(cursor: Cursor, nesting: number): Piece {
  const { text, at } = cursor;
  const head = text.startsWith('\\', at) ? text.slice(at, at + 2) : text.slice(at, at + 1);
  if (head === '(') return readGroup(cursor, nesting + 1);
  if (!Object.hasOwn(ASSERTIONS, head)) return readAtoms(cursor);
  cursor.at += head.length;
  refuseQuantifier(cursor, 'a quantified assertion');
  return { terms: [{ kind: 'assertion', at: ASSERTIONS[head as keyof typeof ASSERTIONS] }], edges: NO_ATOM };
}

function readGroup(cursor: Cursor, nesting: number): Piece {
  if (nesting > MAX_GROUP_NESTING) throw refusal(cursor, `groups nested deeper than ${MAX_GROUP_NESTING}`);
  const [, unsupported] = UNSUPPORTED_GROUPS.find(([start]) => cursor.text.startsWith(start, cursor.at)) ?? [];
  if (unsupported !== undefined) throw refusal(cursor, `${unsupported} is not supported`);
  cursor.at += cursor.text.startsWith('(?:', cursor.at) ? 3 : 1;
  const { branches, edges } = readBranches(cursor, nesting);
  if (cursor.text[cursor.at] !== ')') throw refusal(cursor, 'an unclosed group');
  cursor.at += 1;
  refuseQuantifier(cursor, 'a quantified group');
  return { terms: [{ kind: 'group', branches }], edges };
}

function readAtoms(cursor: Cursor): Piece {
  const code = cursor.text.codePointAt(cursor.at) as number;
  if (code > 0xffff) return readAstral(cursor);
  const units = readUnits(cursor);
  const count = readQuantifier(cursor);
  const quantified = count !== null;
  const { min, max } = count ?? { min: 1, max: 1 };
  return {
    terms: [{ kind: 'atom', units, min, max }],
    edges: { opens: quantified, closes: quantified, transparent: false },
  };
}

function readAstral(cursor: Cursor): Piece {
  const halves = [cursor.text.charCodeAt(cursor.at), cursor.text.charCodeAt(cursor.at + 1)];
  cursor.at += 2;
  refuseQuantifier(cursor, 'a quantified character above U+FFFF');
  const terms = halves.map((unit): Term => ({ kind: 'atom', units: singleUnit(unit), min: 1, max: 1 }));
  return { terms, edges: { opens: false, closes: false, transparent: false } };
}

function readUnits(cursor: Cursor): UnitSet {
  const character = cursor.text[cursor.at] as string;
  if (character === '\\') return readEscape(cursor);
  if (character === '[') return readClass(cursor);
  if (character !== '.' && SYNTAX_CHARACTER.test(character)) throw refusal(cursor, `an unescaped ${character}`);
  cursor.at += 1;
  return character === '.' ? DOT : singleUnit(character.charCodeAt(0));
}

function readEscape(cursor: Cursor): UnitSet {
  const letter = cursor.text[cursor.at + 1] ?? '';
  const named = CLASS_ESCAPES.get(letter);
  if (named !== undefined) {
    cursor.at += 2;
    return named;
  }
  UNIT_ESCAPE.lastIndex = cursor.at + 1;
  const match = UNIT_ESCAPE.exec(cursor.text);
  if (match === null) throw refusal(cursor, 'an escape that is not supported');
  cursor.at = UNIT_ESCAPE.lastIndex;
  const hex = match[1] ?? match[2];
  return singleUnit(hex === undefined ? (CONTROLS[letter] ?? letter.charCodeAt(0)) : Number.parseInt(hex, 16));
}

function readClass(cursor: Cursor): UnitSet {
  const negated = cursor.text[cursor.at + 1] === '^';
  cursor.at += negated ? 2 : 1;
  const ranges: UnitRange[] = [];
  while (cursor.text[cursor.at] !== ']') {
    const low = readClassMember(cursor);
    const isRange = cursor.text[cursor.at] === '-' && cursor.text[cursor.at + 1] !== ']';
    if (!isRange) {
      ranges.push(...low.ranges);
      continue;
    }
    cursor.at += 1;
    ranges.push([endOfRange(cursor, low), endOfRange(cursor, readClassMember(cursor))]);
    const [from, to] = ranges.at(-1) as UnitRange;
    if (from > to) throw refusal(cursor, 'a range out of order');
  }
  if (ranges.length === 0) throw refusal(cursor, 'an empty class');
  cursor.at += 1;
  return negated ? complement(unitSet(ranges)) : unitSet(ranges);
}

function readClassMember(cursor: Cursor): UnitSet {
  const character = cursor.text[cursor.at];
  if (character === undefined) throw refusal(cursor, 'an unclosed class');
  if (character === '[' || SURROGATE.test(character))
    throw refusal(cursor, 'an unescaped [ or a character above U+FFFF in a class');
  if (character === '\\') return readEscape(cursor);
  cursor.at += 1;
  return singleUnit(character.charCodeAt(0));
}

function endOfRange(cursor: Cursor, member: UnitSet): number {
  const [range, more] = member.ranges;
  if (range === undefined || more !== undefined || range[0] !== range[1])
    throw refusal(cursor, 'a class escape as the end of a range');
  return range[0];
}

function readQuantifier(cursor: Cursor): { min: number; max: number } | null {
  QUANTIFIER.lastIndex = cursor.at;
  const match = QUANTIFIER.exec(cursor.text);
  if (match === null) return null;
  cursor.at = QUANTIFIER.lastIndex;
  const [text, least, comma, most] = match;
  if (least === undefined) return { min: text.startsWith('+') ? 1 : 0, max: text.startsWith('?') ? 1 : Infinity };
  const min = Number(least);
  const max = comma === undefined ? min : most ? Number(most) : Infinity;
  if (min > MAX_COUNT || (max > MAX_COUNT && max !== Infinity)) throw refusal(cursor, `a count over ${MAX_COUNT}`);
  if (min > max) throw refusal(cursor, 'a count range out of order');
  return { min, max };
}

function refuseQuantifier(cursor: Cursor, what: string): void {
  if (readQuantifier(cursor) !== null) throw refusal(cursor, what);
}

function refusal(cursor: Cursor, what: string): PatternRefusal {
  return new PatternRefusal(`${what} at ${cursor.at}`);
}
