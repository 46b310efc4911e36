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
 * The rarest three consecutive bytes of a folded term, as a number. A text that contains the term contains them, so a
 * text looks up its own runs of three bytes instead of every watched term (`term_watches`).
 */
export function gramOf(term: string): number {
  const bytes = Buffer.from(term);
  let [best, most] = [0, -1];
  for (let at = 0; at + 3 <= bytes.length; at++) {
    const run = [...bytes.subarray(at, at + 3)];
    const sum = run.reduce((total, byte) => total + rarity(byte), 0);
    if (sum > most) [best, most] = [bytes.readUIntBE(at, 3), sum];
  }
  return best;
}
