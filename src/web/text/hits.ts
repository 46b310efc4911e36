import { withoutSigns } from './excerpt.ts';
import { reveal } from './reveal.ts';

/** Parts of a text. Those with an odd index contain a search term. */
export type HitParts = readonly string[];

/** Longer terms are marked by their beginning. */
const LONGEST_TERM = 120;
/** Characters before the first hit of an excerpt. */
const CHARACTERS_BEFORE = 60;
const EXCERPT_CHARACTERS = 220;
/** A word that the edge of the excerpt would cut is left out, unless it is longer than this. */
const LONGEST_CUT_WORD = 30;
/** A query of one word for each letter could mark every letter. */
const MOST_HITS = 40;

/** Search ignores only the case of A to Z, so that a text keeps its length. */
const folded = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** The terms of a query as pages show texts: with hidden characters written out, in one line. */
export function termsOf(query: string, isAll: boolean): string[] {
  const terms = isAll ? query.split(/\s+/u) : [query];
  return terms
    .map((term) => folded(inOneLine(reveal(term))).slice(0, LONGEST_TERM))
    .filter((term) => term.trim() !== '');
}

/** Splits a text in one line at its hits, of which the longest is taken where several begin. */
export function splitAtHits(text: string, terms: readonly string[]): HitParts {
  const where = folded(text);
  const parts: string[] = [];
  let end = 0;
  while (parts.length < 2 * MOST_HITS) {
    const hit = firstHit(where, terms, end);
    if (hit === undefined) break;
    parts.push(text.slice(end, hit.at), text.slice(hit.at, hit.at + hit.length));
    end = hit.at + hit.length;
  }
  return [...parts, text.slice(end)];
}

function firstHit(where: string, terms: readonly string[], from: number) {
  return terms
    .map((term) => ({ at: where.indexOf(term, from), length: term.length }))
    .filter(({ at }) => at >= 0)
    .toSorted((a, b) => a.at - b.at || b.length - a.length)[0];
}

/**
 * The part of a Markdown text around the first hit, without its markup, or its beginning if it has no hit. If a term
 * contains markup itself, the text keeps its markup.
 */
export function excerptWithHits(text: string, terms: readonly string[]): HitParts {
  const plain = withoutSigns(text);
  const written = inOneLine(text).trim();
  const shown =
    firstHit(folded(plain), terms, 0) === undefined && firstHit(folded(written), terms, 0) ? written : plain;
  const hit = firstHit(folded(shown), terms, 0);
  const start = hit === undefined ? 0 : startOf(shown, hit.at);
  const end = endOf(shown, Math.max(start + EXCERPT_CHARACTERS, hit === undefined ? 0 : hit.at + hit.length));
  const cut = `${start > 0 ? '… ' : ''}${shown.slice(start, end).trim()}${end < shown.length ? ' …' : ''}`;
  return splitAtHits(cut, terms);
}

/** The beginning of a word, at most `CHARACTERS_BEFORE` before the hit. */
function startOf(text: string, hit: number): number {
  if (hit <= CHARACTERS_BEFORE) return 0;
  const space = text.indexOf(' ', hit - CHARACTERS_BEFORE);
  if (space >= 0 && space < hit) return space + 1;
  // One word fills the space before the hit.
  return notInsidePair(text, hit - CHARACTERS_BEFORE);
}

function endOf(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const space = text.indexOf(' ', end);
  return space >= 0 && space - end <= LONGEST_CUT_WORD ? space : notInsidePair(text, end);
}

const notInsidePair = (text: string, at: number): number =>
  /[\uD800-\uDBFF]/.test(text[at - 1] ?? '') && /[\uDC00-\uDFFF]/.test(text[at] ?? '') ? at - 1 : at;
