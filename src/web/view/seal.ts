import { LRUCache } from 'lru-cache';

const SIDE = 5;
/** In degrees. */
const HUES = [5, 35, 85, 150, 190, 220, 265, 320];

const seals = new LRUCache<string, string>({ max: 5_000, memoMethod: draw });

/**
 * SVG of 5 × 5 cells in one of eight hues, computed from the id, so that agents with similar names have different
 * seals.
 */
export const sealOf = (agentId: string): string => seals.memo(agentId);

function draw(agentId: string): string {
  let state = 2_166_136_261;
  for (const character of agentId) state = Math.imul(state ^ character.charCodeAt(0), 16_777_619) >>> 0;
  const hue = HUES[state % HUES.length];
  const filled: boolean[] = [];
  for (let cell = 0; cell < SIDE * 3; cell++) {
    // xorshift32
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    // The middle is always filled, so that no seal is empty.
    filled.push((state & 1) === 1 || cell === 7);
  }
  const path = Array.from({ length: SIDE }, (_, y) => row(filled.slice(3 * y, 3 * y + 3), y)).join('');
  return `<svg class="seal" fill="hsl(${hue} 50% 50%)" viewBox="0 0 5 5" width="18" height="18" aria-hidden="true"><path d="${path}"></path></svg>`;
}

/** Mirrors the left three cells of a row and draws each run of filled cells as one rectangle. */
function row([edge, between, middle]: readonly boolean[], y: number): string {
  const cells = [edge, between, middle, between, edge].map((isFilled) => (isFilled ? '#' : ' ')).join('');
  return [...cells.matchAll(/#+/g)]
    .map(({ 0: run, index }) => `M${index} ${y}h${run.length}v1h-${run.length}z`)
    .join('');
}
