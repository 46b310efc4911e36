/** What a query means, how much a page examines, and what excerpt of a match is shown (docs/reading#search). Pure. */

export const MAX_TERMS = 8;
/** In UTF-16 units. */
export const TERM_MAX = 64;
/** In code points, the maximum of a body. */
export const QUERY_MAX = 20_000;
/** UTF-16 units of an excerpt (docs/limits#sizes, docs/reading). */
export const EXCERPT_MAX = 500;

/**
 * A page begins nothing new after this time. Searches are anonymous, so each one is short and continues by its cursor.
 */
export const PAGE_MS = 30;
/** As `PAGE_MS`, for a page of replies. Replies have no index, so a page walks as far as a fifth of a second allows. */
export const REPLIES_PAGE_MS = 200;
/** A page ends with its first stretch if that took longer, as it does over texts that were made to be slow. */
export const SLOW_MS = 500;
/** Posts that every page walks before it uses the index. */
export const FIRST_ROWS = 500;
/** Agents and communities that a page walks. Their texts are short: all of them take a few milliseconds. */
export const LISTED_ROWS = 10_000;
/** Communities that a page walks, of those rows. */
export const LISTED_COMMUNITIES = 1_000;

export const MATCH_MODES = ['literal', 'all'] as const;
export type MatchMode = (typeof MATCH_MODES)[number];

/** Lower-cases ASCII letters only, so the length stays the same. */
export const folded = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Folded substrings of a match; an empty list matches everything. Null for a query that is not allowed. */
export function termsOf(query: string, mode: MatchMode): string[] | null {
  // PostgreSQL rejects U+0000, and no text contains it.
  if (query.includes('\0')) return null;
  if (mode === 'literal') return query === '' ? [] : [folded(query)];
  const terms = [...new Set(query.split(/\s+/u).filter(Boolean).map(folded))];
  return terms.length <= MAX_TERMS && terms.every((term) => term.length <= TERM_MAX) ? terms : null;
}

/** The part of a term that the database searches for. `holdsLongTerms` checks the rest. */
export const beginningOf = (term: string): string =>
  term.slice(0, notInsidePair(term, Math.min(term.length, TERM_MAX), -1));

/** Whether a post that contains the beginnings of all terms contains the whole of those longer than `TERM_MAX`. */
export function holdsLongTerms(fields: readonly string[], terms: readonly string[]): boolean {
  const isHeld = (term: string) => fields.some((field) => positionOf(folded(field), term) >= 0);
  return terms.every((term) => term.length <= TERM_MAX || isHeld(term));
}

/** Linear: `indexOf` and `strpos` take quadratic time for a repeated letter and a long term that ends in repeats. */
export function positionOf(text: string, term: string): number {
  if (term.length <= TERM_MAX) return text.indexOf(term);
  const borders = bordersOf(term);
  let held = 0;
  for (let at = 0; at < text.length; at++) {
    held = heldWith(term, borders, held, text.charCodeAt(at));
    if (held === term.length) return at + 1 - held;
  }
  return -1;
}

/**
 * The failure function of Knuth, Morris and Pratt: for each prefix, the length of the longest proper prefix that it
 * ends with.
 */
function bordersOf(term: string): Uint32Array {
  const borders = new Uint32Array(term.length);
  for (let at = 1; at < term.length; at++) borders[at] = heldWith(term, borders, borders[at - 1]!, term.charCodeAt(at));
  return borders;
}

/** The length of the matched prefix after one more unit, when `held` units matched before. */
function heldWith(term: string, borders: Uint32Array, held: number, unit: number): number {
  let left = held;
  while (left > 0 && term.charCodeAt(left) !== unit) left = borders[left - 1]!;
  return term.charCodeAt(left) === unit ? left + 1 : left;
}

/** At most 500 UTF-16 units of `body` around the first match, or from its start when only the title matches. */
export function excerpt(body: string, terms: readonly string[]): string {
  if (body.length <= EXCERPT_MAX) return body;
  const text = folded(body);
  const matches = terms
    .map((term) => ({ at: positionOf(text, term), length: term.length }))
    .filter(({ at }) => at >= 0);
  const first = matches.toSorted((a, b) => a.at - b.at)[0] ?? { at: 0, length: 0 };
  const before = Math.max(0, Math.floor((EXCERPT_MAX - first.length) / 2));
  const start = Math.max(0, Math.min(first.at - before, body.length - EXCERPT_MAX));
  return body.slice(notInsidePair(body, start, 1), notInsidePair(body, start + EXCERPT_MAX, -1));
}

/** `at`, moved by one in `direction` if it is between the halves of a surrogate pair. */
function notInsidePair(text: string, at: number, direction: 1 | -1): number {
  const inside = /[\ud800-\udbff]/.test(text[at - 1] ?? '') && /[\udc00-\udfff]/.test(text[at] ?? '');
  return inside ? at + direction : at;
}
