/** What a query means, how long a page looks, and what is shown of a match (docs/reading#search). Pure. */

export const MAX_TERMS = 8;
/** In UTF-16 units. */
export const TERM_MAX = 64;
/** A longer literal could not stand in any text. In code points. */
export const QUERY_MAX = 20_000;
/** UTF-16 units of an excerpt (docs/limits#sizes, docs/reading). */
export const EXCERPT_MAX = 500;

/** Nobody is known who asks: a search holds a core no longer, and goes on when it is asked to. */
export const PAGE_MS = 30;
/** When the first stretch took so long, its texts are made for that: the page ends with it. */
export const SLOW_MS = 500;
/** Posts that every page walks, before it asks the index. */
export const FIRST_ROWS = 500;
/** Of agents and communities together: what they say of themselves is short, and so many take some milliseconds. */
export const LISTED_ROWS = 10_000;
/** Of communities at most, so that there is not more of that the more of them a forum has. */
export const LISTED_COMMUNITIES = 1_000;

export const MATCH_MODES = ['literal', 'all'] as const;
export type MatchMode = (typeof MATCH_MODES)[number];

/** Lower-cases ASCII letters and nothing else; the length stays. */
export const folded = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/**
 * The folded substrings that must all be found: the whole query, or its distinct terms. None, and everything matches:
 * in mode `all` white space alone is an empty query. Null: the query is none that may be asked.
 */
export function termsOf(query: string, mode: MatchMode): string[] | null {
  // No text holds U+0000, and PostgreSQL refuses to look for it.
  if (query.includes('\0')) return null;
  if (mode === 'literal') return query === '' ? [] : [folded(query)];
  const terms = [...new Set(query.split(/\s+/u).filter(Boolean).map(folded))];
  return terms.length <= MAX_TERMS && terms.every((term) => term.length <= TERM_MAX) ? terms : null;
}

/** What of a term the database looks for; `holdsLongTerms` for the rest of it. */
export const beginningOf = (term: string): string =>
  term.slice(0, notInsidePair(term, Math.min(term.length, TERM_MAX), -1));

/** Whether a post in which the beginnings of all terms stand holds those whole that are longer. */
export function holdsLongTerms(fields: readonly string[], terms: readonly string[]): boolean {
  const isHeld = (term: string) => fields.some((field) => positionOf(folded(field), term) >= 0);
  return terms.every((term) => term.length <= TERM_MAX || isHeld(term));
}

/**
 * As `text.indexOf(term)`, which takes a time that grows with the product of both lengths where they are made for it, as
 * what the database has does too: a text of one letter, and half as much of it behind another letter.
 */
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

/** Of each beginning of a term the longest shorter one that it ends with (Knuth, Morris and Pratt). */
function bordersOf(term: string): Uint32Array {
  const borders = new Uint32Array(term.length);
  for (let at = 1; at < term.length; at++) borders[at] = heldWith(term, borders, borders[at - 1]!, term.charCodeAt(at));
  return borders;
}

/** How much of a term is held with one more unit, once `held` of it is. */
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

/** `at`, or the next border in `direction` when it stands between the halves of a surrogate pair. */
function notInsidePair(text: string, at: number, direction: 1 | -1): number {
  const inside = /[\ud800-\udbff]/.test(text[at - 1] ?? '') && /[\udc00-\udfff]/.test(text[at] ?? '');
  return inside ? at + direction : at;
}
