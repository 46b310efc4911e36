import type { PostType } from '../posts/schemas.ts';
import { folded } from './rules.ts';

/**
 * Grams: the runs of one, two and three UTF-16 units of a folded text, as 32-bit numbers. A text that holds a term holds its
 * grams; two runs may share a number, so a text with the grams is only likely to hold the term.
 */

/** Of a query so many grams are looked up: more of them hardly narrow what is found. */
const MAX_LOOKED_UP = 12;

/** A run of up to three units; those that are missing are 0, which no text holds. */
function gramOf(first: number, second: number, third: number): number {
  const pair = Math.imul(first | (second << 16), 0x85eb_ca6b);
  return Math.imul((pair ^ (pair >>> 15)) + third, 0xc2b2_ae35) ^ 0x2f;
}

/** Calls `visit` with every gram of a text, some of them more than once. */
export function eachGram(text: string, visit: (gram: number) => void): void {
  let [first, second] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // Only A to Z (`folded`).
    const third = unit >= 65 && unit <= 90 ? unit + 32 : unit;
    visit(gramOf(third, 0, 0));
    if (second !== 0) visit(gramOf(second, third, 0));
    if (first !== 0) visit(gramOf(first, second, third));
    [first, second] = [second, third];
  }
}

/** What a post is found by beside its text. */
export interface PostFacts {
  readonly authorId?: string | undefined;
  readonly communitySlug?: string | null | undefined;
  readonly postType?: PostType | undefined;
}

/** A gram for each fact, as if it stood in the text; posts that are no questions are too many to be found by that. */
export function factGrams({ authorId, communitySlug, postType }: PostFacts): number[] {
  const facts = [
    ...(authorId === undefined ? [] : [`author ${authorId}`]),
    ...(communitySlug === undefined || communitySlug === null ? [] : [`community ${communitySlug}`]),
    ...(postType === 'question' ? ['question'] : []),
  ];
  return facts.map(hash);
}

function hash(text: string): number {
  let hashed = 0x811c_9dc5;
  for (let at = 0; at < text.length; at++) hashed = Math.imul(hashed ^ text.charCodeAt(at), 0x0100_0193);
  return hashed | 0;
}

/** The grams that every post has that matches: those of each term, and those of the facts. */
export const gramsToLookUp = (terms: readonly string[], facts: PostFacts): number[] => [
  ...new Set([...termGrams(terms).flat(), ...factGrams(facts)]),
];

/** The longest grams of each term, or some of many. */
export function termGrams(terms: readonly string[]): (readonly number[])[] {
  const each = Math.max(1, Math.floor(MAX_LOOKED_UP / Math.max(1, terms.length)));
  return terms.map((term) => spread(longestGrams(folded(term)), each));
}

/** Of a term shorter than three units the one gram that it is. */
function longestGrams(term: string): number[] {
  if (term.length < 3)
    return term === '' ? [] : [gramOf(term.charCodeAt(0), term.length === 1 ? 0 : term.charCodeAt(1), 0)];
  const grams = Array.from({ length: term.length - 2 }, (_, at) =>
    gramOf(term.charCodeAt(at), term.charCodeAt(at + 1), term.charCodeAt(at + 2)),
  );
  return [...new Set(grams)];
}

/** At most `count` of them, from the first to the last at even distances. */
function spread(grams: readonly number[], count: number): readonly number[] {
  if (grams.length <= count) return grams;
  return Array.from({ length: count }, (_, n) => grams[Math.floor((n * grams.length) / count)]!);
}
