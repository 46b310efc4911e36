/** Names that somebody may have meant. */

/** Longer ones are compared with nothing. */
const MAX_LENGTH = 64;

/**
 * What name may have been meant (docs/errors#hints): the candidate that is spelled most like it, the same but for case,
 * separators and the order of words, the beginning or end of one (`bounty` of `bountyStake`), or a few letters away, one in
 * three; undefined where none is.
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = plain(name);
  if (wanted === '' || name.length > MAX_LENGTH) return undefined;
  const words = wordsOf(name);
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = words === wordsOf(candidate) ? 0 : distanceOf(wanted, plain(candidate));
    if (distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { candidate, distance };
  }
  return best?.candidate;
}

/** `: did you mean x?`, or nothing. */
export const didYouMean = (name: string, candidates: Iterable<string>): string => {
  const meant = nearest(name, candidates);
  return meant === undefined ? '' : `: did you mean ${meant}?`;
};

const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_\s]/g, '');

/** The words of a name, whatever their order. */
const wordsOf = (name: string): string =>
  name
    .toLowerCase()
    .split(/[-_.\s]/)
    .toSorted()
    .join(' ');

/** Infinite for what nobody would take for the other. */
function distanceOf(wanted: string, candidate: string): number {
  const shorter = Math.min(wanted.length, candidate.length);
  const isPart = shorter >= 3 && (isAtEdge(candidate, wanted) || isAtEdge(wanted, candidate));
  const edits = editsBetween(wanted, candidate);
  if (edits <= Math.max(1, Math.floor(shorter / 3))) return edits;
  return isPart ? edits + MAX_LENGTH : Number.POSITIVE_INFINITY;
}

const isAtEdge = (whole: string, part: string): boolean => whole.startsWith(part) || whole.endsWith(part);

/** Letters to put in, take out, replace, or swap with their neighbour, to make one of the other. */
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
