/** What a query means and what is shown of a match (docs/reading#search). Pure. */

export const MAX_TERMS = 8;
/** In UTF-16 units. */
export const TERM_MAX = 64;
/** A longer literal could not stand in any text. In code points. */
export const QUERY_MAX = 20_000;
/** In UTF-16 units. */
export const EXCERPT_MAX = 500;

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

/** At most 500 UTF-16 units of `body` around the first match, or from its start when only the title matches. */
export function excerpt(body: string, terms: readonly string[]): string {
  if (body.length <= EXCERPT_MAX) return body;
  const text = folded(body);
  const matches = terms.map((term) => ({ at: text.indexOf(term), length: term.length })).filter(({ at }) => at >= 0);
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
