import { crc32, deflateSync } from 'node:zlib';

/** A color such as `#12523d`. */
export type Color = string;

/** All measures are in pixels, from the upper left corner. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly color: Color;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const MOST_COLORS = 16;
const INDEXED = 3;
const [SAME_AS_WRITTEN, DIFFERENCE_TO_ROW_ABOVE] = [0, 2];

/** Draws rectangles one above the other as a PNG image of at most 16 colors, 4 bits a pixel. */
export function pictureOf(width: number, height: number, background: Color, rectangles: readonly Rectangle[]): Buffer {
  const palette = [...new Set([background, ...rectangles.map(({ color }) => color)])];
  if (palette.length > MOST_COLORS) throw new Error(`a picture has at most ${MOST_COLORS} colors`);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([4, INDEXED, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.concat(palette.map((color) => Buffer.from(color.slice(1), 'hex')))),
    chunk('IDAT', deflateSync(rowsOf(width, height, palette, rectangles))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Each row begins with its filter. A row that repeats the one above consists of zeros, which take almost no space. */
function rowsOf(width: number, height: number, palette: readonly Color[], rectangles: readonly Rectangle[]): Buffer {
  const bytes = Math.ceil(width / 2);
  const rows = Buffer.alloc(height * (1 + bytes));
  const shapes = rectangles.map((each) => ({ ...each, index: palette.indexOf(each.color) }));
  let above = '';
  for (let y = 0; y < height; y++) {
    const crossing = shapes.filter((each) => each.y <= y && y < each.y + each.height);
    const start = y * (1 + bytes);
    const key = crossing.map((each) => shapes.indexOf(each)).join();
    const isRepeated = y > 0 && key === above;
    rows[start] = isRepeated ? DIFFERENCE_TO_ROW_ABOVE : SAME_AS_WRITTEN;
    above = key;
    if (isRepeated) continue;
    const pixels = new Uint8Array(2 * bytes);
    for (const { x, width: across, index } of crossing) pixels.fill(index, Math.max(0, x), Math.max(0, x + across));
    for (let at = 0; at < bytes; at++) rows[start + 1 + at] = (pixels[2 * at]! << 4) | pixels[2 * at + 1]!;
  }
  return rows;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const whole = Buffer.alloc(8 + body.length);
  whole.writeUInt32BE(data.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc32(body), 4 + body.length);
  return whole;
}
