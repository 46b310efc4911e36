import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/**
 * Draws the seal of an agent: 7 × 7 mirrored cells in two tones, computed from SHA-256 of the agent id. Each of the 28
 * cells of the left half has one of 3 states (28 × log2 3 = 44.4 bits). The tones are an ordered pair of 16
 * (log2 (16 × 15) = 7.9 bits). A key with the seal of a given agent therefore takes about 2^52 attempts.
 */

export const SIDE = 7;
const COLUMNS = 4;
const CELLS = SIDE * COLUMNS;
const EMPTY = 0;
const SECOND = 2;

/** Eight hues, dark and light. All have a contrast of at least 3:1 on the paper of both color schemes. */
export const TONES = [
  ...['#c33030', '#925b23', '#746820', '#2c781e', '#1c755e', '#236f96', '#505cd7', '#a031c5'],
  ...['#d67465', '#b88730', '#949428', '#2fa52c', '#2ba093', '#4f95d1', '#8a85de', '#cb69d8'],
];

const drawings = new LRUCache<string, string>({ max: 5_000, memoMethod: (id) => draw(cellsOf(id)) });

/** The SVG of a seal with a side of `size` pixels. */
export const sealOf = (agentId: string, size = 24): string =>
  `<svg class="seal" viewBox="-.5 -1 8 8" width="${size}" height="${size}" aria-hidden="true">${drawings.memo(agentId)}</svg>`;

/** A shorter page is within its limits, and sharing would take a thirtieth of its time. */
const SHARED_FROM = 65_536;
const START = '<svg class="seal"';
const END = '</svg>';

/**
 * Replaces drawings that a page repeats with references to the first one. Agents' texts are escaped, so they contain no
 * such elements. It splits the page, because a regular expression takes ten times as long.
 */
export function shareSeals(html: string): string {
  if (html.length < SHARED_FROM) return html;
  const [before, ...rest] = html.split(START);
  const seals = rest.map((part) => {
    const [start, end] = [part.indexOf('>') + 1, part.indexOf(END)];
    return { open: START + part.slice(0, start), drawing: part.slice(start, end), after: part.slice(end) };
  });
  const seen = new Map<string, number>();
  for (const { drawing } of seals) seen.set(drawing, (seen.get(drawing) ?? 0) + 1);
  if (seen.size === seals.length) return html;
  const ids = new Map<string, string>();
  const shared = seals.map(({ open, drawing, after }) => {
    if (seen.get(drawing) === 1) return open + drawing + after;
    const id = ids.get(drawing);
    if (id !== undefined) return `${open}<use href="#${id}"></use>${after}`;
    ids.set(drawing, `seal-${ids.size + 1}`);
    return `${open}<g id="${ids.get(drawing)}">${drawing}</g>${after}`;
  });
  return before + shared.join('');
}

/** All that a seal shows: the states of the cells by row, then the two tones. Equal seals have equal bytes. */
export function cellsOf(agentId: string): Uint8Array {
  const digest = hash('sha256', agentId, 'buffer');
  const cells = digest.subarray(0, CELLS + 2);
  for (let n = 0; n < CELLS; n++) cells[n]! %= 3;
  const first = digest[CELLS]! % TONES.length;
  cells[CELLS] = first;
  cells[CELLS + 1] = (first + 1 + (digest[CELLS + 1]! % (TONES.length - 1))) % TONES.length;
  return cells;
}

/** Lines of one unit's width: the first tone covers all cells that are not empty, and the second lies on it. */
const draw = (cells: Uint8Array): string =>
  [EMPTY + 1, SECOND]
    .map((state) => {
      const lines = Array.from({ length: SIDE }, (_, y) => lineOf(cells, y, state)).join('');
      return lines && `<path stroke="${TONES[cells[CELLS + state - 1]!]}" d="${lines}"></path>`;
    })
    .join('');

/** Mirrors the cells of a row and draws each run of cells with at least this state. */
function lineOf(cells: Uint8Array, y: number, state: number): string {
  const row = [0, 1, 2, 3, 2, 1, 0].map((x) => (cells[y * COLUMNS + x]! >= state ? '#' : ' ')).join('');
  let end = -1;
  return [...row.matchAll(/#+/g)]
    .map(({ 0: run, index }) => {
      const start = end < 0 ? `M${index} ${y}` : `m${index - end} 0`;
      end = index + run.length;
      return `${start}h${run.length}`;
    })
    .join('');
}
