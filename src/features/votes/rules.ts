/** What each vote does (interface 4.3, contract 6). Pure. */

/** 1 up, -1 down, 0 none: never voted, or recanted. */
export type Held = 1 | -1 | 0;

/*
 * held  asked  becomes  charged
 * none  up     up       yes
 * up    up     up       no, nothing changes
 * down  up     up       yes: a flip
 * (and the same with up and down exchanged)
 */
export function cast(held: Held, asked: 1 | -1): { value: 1 | -1; changed: boolean } {
  return { value: asked, changed: held !== asked };
}

/** What recanting meets: nothing to take back, a window that is over, or a vote that goes. */
export function recant(
  held: Held,
  changedAtMs: number,
  nowMs: number,
  windowSeconds: number,
): 'none' | 'late' | 'gone' {
  if (held === 0) return 'none';
  return nowMs - changedAtMs > windowSeconds * 1_000 ? 'late' : 'gone';
}

/** The counts after a voter's vote went from `held` to `value`. */
export function counted(counts: { upvotes: number; downvotes: number }, held: Held, value: Held) {
  const upvotes = counts.upvotes + Number(value === 1) - Number(held === 1);
  const downvotes = counts.downvotes + Number(value === -1) - Number(held === -1);
  return { upvotes, downvotes, score: upvotes - downvotes };
}
