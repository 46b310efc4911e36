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
  const filled: boolean[] = [];
  for (let cell = 0; cell < SIDE * 3; cell++) {
    // xorshift32
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    // The middle is filled, so that no seal is empty.
    filled.push((state & 1) === 1 || cell === 7);
  }
  return { path: Array.from({ length: SIDE }, (_, y) => row(filled.slice(3 * y, 3 * y + 3), y)).join(''), hue };
}

/** The cells of a row up to the middle, and as many behind it the other way round: what is filled in one go is one shape. */
function row([edge, between, middle]: readonly boolean[], y: number): string {
  const cells = [edge, between, middle, between, edge].map((isFilled) => (isFilled ? '#' : ' ')).join('');
  return [...cells.matchAll(/#+/g)]
    .map(({ 0: run, index }) => `M${index} ${y}h${run.length}v1h-${run.length}z`)
    .join('');
}
