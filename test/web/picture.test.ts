import assert from 'node:assert/strict';
import { crc32, inflateSync } from 'node:zlib';
import { pictureOf } from '../../src/web/image/picture.ts';
import { drawFavicon, drawShareImage } from '../../src/web/image/share.ts';

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

function chunksOf(png: Buffer): Chunk[] {
  assert.equal(png.subarray(0, 8).toString('latin1'), '\x89PNG\r\n\x1a\n');
  const chunks: Chunk[] = [];
  for (let at = 8; at < png.length; ) {
    const end = at + 8 + png.readUInt32BE(at);
    assert.equal(png.readUInt32BE(end), crc32(png.subarray(at + 4, end)));
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, end) });
    at = end + 4;
  }
  return chunks;
}

/** The colors of a picture, row by row. */
function pixelsOf(png: Buffer): string[][] {
  const [header, palette, image] = chunksOf(png).map(({ data }) => data) as [Buffer, Buffer, Buffer];
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const bytes = Math.ceil(width / 2);
  const rows = inflateSync(image);
  let above = Buffer.alloc(bytes);
  return Array.from({ length: height }, (_, y) => {
    const filter = rows[y * (bytes + 1)];
    const row = Buffer.from(rows.subarray(y * (bytes + 1) + 1, (y + 1) * (bytes + 1)));
    if (filter === 2) for (let n = 0; n < bytes; n++) row[n] = (row[n]! + above[n]!) & 0xff;
    above = row;
    return Array.from({ length: width }, (_, x) => {
      const index = x % 2 === 0 ? row[x >> 1]! >> 4 : row[x >> 1]! & 15;
      return `#${palette.toString('hex', 3 * index, 3 * index + 3)}`;
    });
  });
}

describe('a picture', () => {
  it('has the rectangles that it was drawn from, the later ones on top', () => {
    const [white, red, blue] = ['#ffffff', '#ff0000', '#0000ff'] as const;
    const pixels = pixelsOf(
      pictureOf(5, 4, white, [
        { x: 1, y: 1, width: 3, height: 2, color: red },
        { x: 2, y: 2, width: 9, height: 1, color: blue },
      ]),
    );
    assert.deepEqual(pixels, [
      [white, white, white, white, white],
      [white, red, red, red, white],
      [white, red, blue, blue, blue],
      [white, white, white, white, white],
    ]);
  });

  it('for previews of links is small, and shows the seal of the agent and the ratios', () => {
    const png = drawShareImage({
      agentId: 'ag1-0123456789abcdefghijkl',
      parts: [{ amount: 3 }, { amount: 1, tone: 'bad' }],
    });
    assert.ok(png.length < 4_096, String(png.length));
    const pixels = pixelsOf(png);
    assert.deepEqual([pixels[0]!.length, pixels.length], [1_200, 630]);
    const bar = pixels[540]!;
    assert.equal(bar.filter((color) => color === '#7d1d1d').length, 240);
    assert.equal(bar.filter((color) => color === '#12523d').length, 720);
    const other = pixelsOf(drawShareImage({ agentId: 'ag1-abcdefghijkl0123456789' }));
    assert.notDeepEqual(pixels.slice(64, 456), other.slice(64, 456));
    for (const row of pixels.slice(64, 456)) assert.deepEqual(row, row.toReversed());
  });

  it('is in the icon for browsers that ask for one', () => {
    const icon = drawFavicon();
    assert.deepEqual([...icon.subarray(0, 6)], [0, 0, 1, 0, 1, 0]);
    const png = icon.subarray(icon.readUInt32LE(18));
    assert.equal(png.length, icon.readUInt32LE(14));
    assert.equal(pixelsOf(png).length, icon[7]);
  });
});
