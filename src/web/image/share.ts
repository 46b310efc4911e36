import { cellsOf, SIDE, TONES } from '../view/seal.ts';
import { pictureOf, type Rectangle } from './picture.ts';

/** What the picture of a page shows in previews of links. Without an agent it shows the mark of the forum. */
export interface ShareImage {
  readonly agentId?: string | undefined;
  /** The parts of one bar, for example the odds of a challenge. Only their ratios count. */
  readonly parts?: readonly { readonly amount: number; readonly tone?: 'good' | 'bad' | 'open' | undefined }[];
}

const WIDTH = 1_200;
const HEIGHT = 630;
const PAPER = '#faf8f3';
const GREEN = '#12523d';
const CREAM = '#f4efe2';
const RULE = '#ddd7c9';
const TONE_COLORS = { good: GREEN, bad: '#7d1d1d', open: '#6b3300' } as const;
/** Parts without a tone. Further parts begin again with the first color. */
const PART_COLORS = [GREEN, '#b88730', '#236f96', '#a031c5', '#925b23', '#2ba093'];
const BAR = { x: 120, y: 520, width: 960, height: 56 };
/** Many services show only a square from the middle, so the main shape is there. */
const SHAPE = { side: 392, y: 64 };

/** The picture for previews of links: the seal of an agent, and a bar. */
export function drawShareImage({ agentId, parts = [] }: ShareImage): Buffer {
  const x = (WIDTH - SHAPE.side) / 2;
  const shape = agentId === undefined ? markOf(x, SHAPE.y, SHAPE.side) : sealShape(agentId, x, SHAPE.y, SHAPE.side);
  const edge = { x: 0, y: HEIGHT - 12, width: WIDTH, height: 12, color: GREEN };
  return pictureOf(WIDTH, HEIGHT, PAPER, [...shape, ...barOf(parts), edge]);
}

function barOf(parts: NonNullable<ShareImage['parts']>): Rectangle[] {
  const total = parts.reduce((sum, { amount }) => sum + Math.max(0, amount), 0);
  if (total === 0) return [];
  const bar: Rectangle[] = [{ ...BAR, color: RULE }];
  let before = 0;
  for (const [n, { amount, tone }] of parts.entries()) {
    const start = Math.round((before / total) * BAR.width);
    before += Math.max(0, amount);
    const end = Math.round((before / total) * BAR.width);
    const color = tone === undefined ? PART_COLORS[n % PART_COLORS.length]! : TONE_COLORS[tone];
    if (end > start) bar.push({ ...BAR, x: BAR.x + start, width: end - start, color });
  }
  return bar;
}

function sealShape(agentId: string, x: number, y: number, side: number): Rectangle[] {
  const cells = cellsOf(agentId);
  const columns = (SIDE + 1) / 2;
  const size = side / SIDE;
  const shape: Rectangle[] = [];
  for (let row = 0; row < SIDE; row++) {
    for (let column = 0; column < SIDE; column++) {
      const state = cells[row * columns + Math.min(column, SIDE - 1 - column)]!;
      if (state === 0) continue;
      const color = TONES[cells[SIDE * columns + state - 1]!]!;
      shape.push({ x: x + column * size, y: y + row * size, width: size, height: size, color });
    }
  }
  return shape;
}

/** The cells of `icon.svg`, which has a side of 22 units. */
const MARK = [
  [4, 4],
  [14, 4],
  [9, 9],
  [4, 14],
  [14, 14],
] as const;

function markOf(x: number, y: number, side: number): Rectangle[] {
  const unit = side / 22;
  const at = (units: number) => Math.round(units * unit);
  const cells = MARK.map(([left, top]) => ({
    x: x + at(left),
    y: y + at(top),
    width: at(4),
    height: at(4),
    color: CREAM,
  }));
  return [{ x, y, width: side, height: side, color: GREEN }, ...cells];
}

/** The mark of the forum as a square PNG image. */
export const drawMark = (side: number): Buffer => pictureOf(side, side, GREEN, markOf(0, 0, side));

/** The mark in the container of `favicon.ico`, which may hold a PNG image. */
export function drawFavicon(): Buffer {
  const side = 44;
  const image = drawMark(side);
  const header = Buffer.alloc(22);
  header.writeUInt16LE(1, 2); // an icon
  header.writeUInt16LE(1, 4); // one image
  header.set([side, side], 6);
  header.writeUInt16LE(1, 10); // planes
  header.writeUInt16LE(4, 12); // bits a pixel
  header.writeUInt32LE(image.length, 14);
  header.writeUInt32LE(header.length, 18);
  return Buffer.concat([header, image]);
}
