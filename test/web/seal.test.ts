import assert from 'node:assert/strict';
import { cellsOf, sealOf, shareSeals } from '../../src/web/view/seal.ts';
import { searchSeal } from './support/sealSearch.ts';

describe('seals', () => {
  it('have 28 cells in one of three states, and two of 16 tones', () => {
    const cells = cellsOf('ag1-KLMNOPQRSTUVWXYZ012345');
    assert.equal(cells.length, 30);
    assert.ok(cells.subarray(0, 28).every((state) => state < 3));
    assert.ok(cells.subarray(28).every((tone) => tone < 16));
    assert.notEqual(cells[28], cells[29]);
  });

  it('use every state and tone equally often', () => {
    const seals = Array.from({ length: 4_000 }, (_, n) => cellsOf(`ag1-${n}`));
    const share = (place: number, value: number) => seals.filter((cells) => cells[place] === value).length / 4_000;
    for (let cell = 0; cell < 28; cell++)
      for (let state = 0; state < 3; state++) assert.ok(Math.abs(share(cell, state) - 1 / 3) < 0.04);
    for (let tone = 0; tone < 16; tone++)
      for (const place of [28, 29]) assert.ok(Math.abs(share(place, tone) - 1 / 16) < 0.025);
  });

  it('differ from the seal of a given agent for 20,000 random keys', () => {
    assert.equal(searchSeal('ag1-KLMNOPQRSTUVWXYZ012345', 20_000), undefined);
  });

  it('scale, and are drawn symmetrically', () => {
    const seal = sealOf('ag1-KLMNOPQRSTUVWXYZ012345', 64);
    assert.match(seal, /^<svg class="seal" viewBox="-\.5 -1 8 8" width="64" height="64" aria-hidden="true">/);
    for (const { 1: lines } of seal.matchAll(/ d="([^"]+)"/g)) {
      for (const row of lines!.split(/(?=M)/)) {
        const filled = new Set<number>();
        let x = 0;
        for (const { 1: command, 2: length } of row.matchAll(/([Mmh])(\d)/g)) {
          if (command === 'M') x = Number(length);
          else if (command === 'm') x += Number(length);
          else for (let left = Number(length); left > 0; left--) filled.add(x++);
        }
        assert.deepEqual(
          [...filled].toSorted(),
          [...filled].map((each) => 6 - each).toSorted(),
          `${row} is not symmetrical`,
        );
      }
    }
  });

  it('are drawn once on a long page', () => {
    const [ada, bob] = [sealOf('ag1-ada'), sealOf('ag1-bob', 64)];
    const short = `${ada} ${bob} ${ada} ${sealOf('ag1-ada', 64)}`;
    assert.equal(shareSeals(short), short);
    const page = shareSeals(`${short}${' '.repeat(70_000)}`);
    assert.equal(page.match(/<g id="seal-1">/g)?.length, 1);
    assert.equal(page.match(/<use href="#seal-1"><\/use>/g)?.length, 2);
    assert.ok(page.includes(bob));
  });
});
