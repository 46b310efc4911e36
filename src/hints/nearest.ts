import { OTHER_NAMES, SAME_WORDS } from './synonyms.ts';

const MAX_LENGTH = 64;

/** Tries in this order (docs/errors#hints): the same words or synonyms (`read_post`: `get_post`), at most a third of
 * the letters wrong (`tilte`), one name that begins or ends with the other (`bounty`: `bountyStake`). */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = plain(name);
  if (wanted === '' || name.length > MAX_LENGTH) return undefined;
  const words = wordsOf(name);
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const known = plain(candidate);
    const isSame = words === wordsOf(candidate) || isOtherName(wanted, candidate);
    const distance = known === wanted ? 0 : isSame ? SAME : distanceOf(wanted, known);
    if (distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** The distance of a synonym: between the same name and a misspelled one. */
const SAME = 0.5;

/** `: did you mean x?`, or an empty text. */
export const didYouMean = (name: string, candidates: Iterable<string>): string => {
  const meant = nearest(name, candidates);
  return meant === undefined ? '' : `: did you mean ${meant}?`;
};

const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_\s]/g, '');

/** The words of a name, sorted; synonyms become the first of their group. */
const wordsOf = (name: string): string =>
  name
    .toLowerCase()
    .split(/[-_.\s]/)
    .map((word) => FIRST_OF_SAME.get(word) ?? word)
    .toSorted()
    .join(' ');

const FIRST_OF_SAME: ReadonlyMap<string, string> = new Map(
  SAME_WORDS.flatMap((group) => {
    const words = group.split(' ');
    return words.map((word) => [word, words[0]!] as const);
  }),
);

const isOtherName = (wanted: string, candidate: string): boolean =>
  Object.hasOwn(OTHER_NAMES, candidate) && OTHER_NAMES[candidate]!.split(' ').some((other) => plain(other) === wanted);

function distanceOf(wanted: string, candidate: string): number {
  const shorter = Math.min(wanted.length, candidate.length);
  const isPart = shorter >= 3 && (isAtEdge(candidate, wanted) || isAtEdge(wanted, candidate));
  const edits = editsBetween(wanted, candidate);
  if (edits <= Math.max(1, Math.floor(shorter / 3))) return edits;
  return isPart ? edits + MAX_LENGTH : Number.POSITIVE_INFINITY;
}

const isAtEdge = (whole: string, part: string): boolean => whole.startsWith(part) || whole.endsWith(part);

/** The number of letters to insert, delete, replace or swap (Damerau-Levenshtein). */
function editsBetween(one: string, other: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, n) => n)];
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1];
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const least = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      row.push(swapped ? Math.min(least, before[j - 2]! + 1) : least);
    }
    [before, last] = [last, row];
  }
  return last.at(-1)!;
}
