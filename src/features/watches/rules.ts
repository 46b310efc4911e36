/** The limits of watches, and the bytes by which a text finds a watched term (docs/inbox#watches). Pure. */

export const WATCH_KINDS = ['term', 'author', 'post'] as const;
export type WatchKind = (typeof WATCH_KINDS)[number];

/** In code points. */
export const VALUE_MIN = 3;
export const VALUE_MAX = 100;
/** The most watches of an agent, and how often it may change them in a day, because they are free. */
export const MAX_WATCHES = 20;
export const MAX_CHANGES_A_DAY = 60;

/** Bytes of English texts, the most frequent first. Other bytes are rare. */
const FREQUENT = Buffer.from(' etaoinsrhldcumfpgwyb.,vk');

/** Higher for bytes that fewer texts contain. */
function rarity(byte: number): number {
  const place = FREQUENT.indexOf(byte);
  return place === -1 ? FREQUENT.length : place;
}

/**
 * The two rarest runs of three bytes of a folded term, as numbers; the second begins behind the first or ends before it
 * if the term is long enough. A text that contains the term contains both, so a text looks up its own runs instead of
 * every watched term (`term_watches`).
 */
export function gramsOf(term: string): { readonly gram: number; readonly otherGram: number } {
  const bytes = Buffer.from(term);
  const runs = Array.from({ length: bytes.length - 2 }, (_, at) => ({
    at,
    gram: bytes.readUIntBE(at, 3),
    rarity: [...bytes.subarray(at, at + 3)].reduce((total, byte) => total + rarity(byte), 0),
  })).toSorted((a, b) => b.rarity - a.rarity);
  const first = runs[0]!;
  const other = runs.find(({ at }) => Math.abs(at - first.at) >= 3) ?? runs.at(-1)!;
  return { gram: first.gram, otherGram: other.gram };
}
