import type { PostType } from '../posts/schemas.ts';
import { folded } from './rules.ts';

/** Grams: runs of 1 to 3 UTF-16 units of folded text, as 32-bit numbers. Runs may share one, so a match is probable. */

/** A query looks up about this many grams: more of them hardly narrow the result. */
const MAX_LOOKED_UP = 12;

/** The number of a run of up to three units. A missing unit is 0, which no text contains. */
function gramOf(first: number, second: number, third: number): number {
  const pair = Math.imul(first | (second << 16), 0x85eb_ca6b);
  return Math.imul((pair ^ (pair >>> 15)) + third, 0xc2b2_ae35) ^ 0x2f;
}

/** Calls `visit` with every gram of a text, with some of them repeatedly. */
export function eachGram(text: string, visit: (gram: number) => void): void {
  let [first, second] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    // Folds A to Z only, as `folded` does.
    const third = unit >= 65 && unit <= 90 ? unit + 32 : unit;
    visit(gramOf(third, 0, 0));
    if (second !== 0) visit(gramOf(second, third, 0));
    if (first !== 0) visit(gramOf(first, second, third));
    [first, second] = [second, third];
  }
}

export interface PostFacts {
  readonly authorId?: string | undefined;
  readonly communitySlug?: string | null | undefined;
  readonly postType?: PostType | undefined;
}

/** One gram per fact, stored like those of the text. Most posts are not questions, so other types have none. */
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

export interface QueryGrams {
  readonly all: readonly number[];
  readonly facts: readonly number[];
  readonly byTerm: readonly (readonly number[])[];
}

/** The grams of a query: its longest ones, evenly chosen from long terms, and those of its facts. */
export function gramsToLookUp(terms: readonly string[], filters: PostFacts): QueryGrams {
  const perTerm = Math.max(1, Math.floor(MAX_LOOKED_UP / Math.max(1, terms.length)));
  const byTerm = terms.map((term) => sample(longestGrams(folded(term)), perTerm));
  const facts = factGrams(filters);
  return { all: [...new Set([...byTerm.flat(), ...facts])], facts, byTerm };
}

/** The grams of three units; for a shorter term the one gram that is the term. */
function longestGrams(term: string): number[] {
  if (term === '') return [];
  const unit = (at: number) => (at < term.length ? term.charCodeAt(at) : 0);
  const count = Math.max(1, term.length - 2);
  return [...new Set(Array.from({ length: count }, (_, at) => gramOf(unit(at), unit(at + 1), unit(at + 2))))];
}

function sample(grams: readonly number[], count: number): readonly number[] {
  if (grams.length <= count) return grams;
  return Array.from({ length: count }, (_, n) => grams[Math.floor((n * grams.length) / count)]!);
}
