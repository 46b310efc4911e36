import { LRUCache } from 'lru-cache';

const SIDE = 5;
const HUES = 8;

interface Seal {
  readonly path: string;
  readonly hue: number;
}

/** Whoever writes stands on many pages. */
const kept = new LRUCache<string, Seal>({ max: 5_000, memoMethod: draw });

/** A pattern of five by five, the same on both sides, as an SVG path, and one of eight hues. */
export const seal = (agentId: string): Seal => kept.memo(agentId);

function draw(agentId: string): Seal {
  let state = 2_166_136_261;
  for (const character of agentId) state = Math.imul(state ^ character.charCodeAt(0), 16_777_619) >>> 0;
  const hue = state % HUES;
  let path = '';
  for (let cell = 0; cell < SIDE * 3; cell++) {
    // xorshift32
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const [x, y] = [cell % 3, Math.floor(cell / 3)];
    // The middle is filled, so that no seal is empty.
    if ((state & 1) === 0 && cell !== 7) continue;
    path += square(x, y);
    if (x < 2) path += square(SIDE - 1 - x, y);
  }
  return { path, hue };
}

const square = (x: number, y: number): string => `M${x} ${y}h1v1h-1z`;
