import assert from 'node:assert/strict';
import {
  consistencyProof,
  EMPTY_ROOT,
  inclusionProof,
  leafHash,
  nodeHash,
  type RangeHash,
  splitOf,
  verifyConsistency,
  verifyInclusion,
} from '../../src/protocol/merkle.ts';
import {
  bundleOf,
  edgeTiles,
  entriesOf,
  parseTilePath,
  rangeFromTiles,
  TreeEdge,
  tilePath,
  tilesNeeded,
} from '../../src/protocol/tiles.ts';

/** Leaves and roots of the tests of certificate-transparency, which RFC 6962 goes with. */
const KNOWN_LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
];
const KNOWN_ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

/** RFC 6962, 2.1, word by word. */
const rangeOf =
  (leaves: readonly Buffer[]): RangeHash =>
  (start, end) => {
    if (end - start === 1) return leaves[start]!;
    const middle = start + splitOf(end - start);
    return nodeHash(rangeOf(leaves)(start, middle), rangeOf(leaves)(middle, end));
  };

describe('Merkle trees of RFC 6962', function () {
  this.timeout(60_000);
  const hashes = Array.from({ length: 300 }, (_, n) => leafHash(Buffer.from(`leaf ${n}`)));

  it('have the roots that others computed', () => {
    assert.equal(EMPTY_ROOT.toString('hex'), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    const edge = new TreeEdge(0, []);
    assert.deepEqual(edge.root(), EMPTY_ROOT);
    KNOWN_LEAVES.forEach((leaf, n) => {
      edge.append([leafHash(Buffer.from(leaf, 'hex'))]);
      assert.equal(edge.root().toString('hex'), KNOWN_ROOTS[n]);
    });
  });

  it('prove every leaf of every size, and nothing else', () => {
    for (let size = 1; size <= 40; size++) {
      const range = rangeOf(hashes);
      const root = range(0, size);
      for (let index = 0; index < size; index++) {
        const proof = inclusionProof(index, size, range);
        const claim = { index, size, leaf: hashes[index]!, root };
        assert.ok(verifyInclusion(claim, proof));
        assert.ok(!verifyInclusion({ ...claim, leaf: hashes[index + 1]! }, proof));
        assert.ok(!verifyInclusion({ ...claim, index: (index + 1) % (size + 1) }, proof));
        assert.ok(!verifyInclusion(claim, [...proof, root]));
        if (proof.length > 0) assert.ok(!verifyInclusion(claim, proof.slice(1)));
      }
    }
  });

  it('are shown to continue each other at every pair of sizes', () => {
    const range = rangeOf(hashes);
    for (let size = 1; size <= 40; size++) {
      for (let first = 1; first <= size; first++) {
        const [old, fresh] = [first, size].map((each) => ({ size: each, root: range(0, each) })) as [never, never];
        const proof = consistencyProof(first, size, range);
        assert.ok(verifyConsistency(old, fresh, proof), `${first} to ${size}`);
        const other = { size: first, root: hashes[299]! };
        assert.ok(!verifyConsistency(other, fresh, proof));
        if (first < size) assert.ok(!verifyConsistency(old, fresh, [...proof, hashes[0]!]));
      }
    }
  });

  it('are the same in tiles, in whatever steps they grew', () => {
    const leaves = Array.from({ length: 70_000 }, (_, n) => leafHash(Buffer.from(String(n))));
    const tiles = new Map<string, Buffer>();
    const edge = new TreeEdge(0, []);
    const sizes = [1, 255, 256, 257, 511, 512, 600, 65_535, 65_536, 65_537, 70_000];
    let before = 0;
    for (const size of sizes) {
      for (const { level, index, hashes: bytes } of edge.append(leaves.slice(before, size))) {
        tiles.set(`${level}/${index}`, bytes);
      }
      before = size;
      const range = rangeFromTiles((level, index) => tiles.get(`${level}/${index}`));
      const index = Math.floor(size / 2);
      const proof = inclusionProof(index, size, range);
      assert.ok(verifyInclusion({ index, size, leaf: leaves[index]!, root: edge.root() }, proof));
      for (const { level, index: at } of tilesNeeded((asked) => inclusionProof(index, size, asked))) {
        assert.ok(tiles.has(`${level}/${at}`));
      }
    }
    // The example of C2SP tlog-tiles.
    assert.deepEqual(
      edgeTiles(70_000).map(({ width }) => width),
      [112, 17, 1],
    );
    assert.equal([...tiles.keys()].filter((name) => name.startsWith('0/')).length, 274);
    // What was there at an earlier size is the beginning of what is there now.
    for (const size of [255, 256, 600]) {
      const earlier = edgeTiles(size).map(({ level, index, width }) =>
        (tiles.get(`${level}/${index}`) ?? Buffer.alloc(0)).subarray(0, width * 32),
      );
      const grown = new TreeEdge(0, []);
      grown.append(leaves.slice(0, size));
      assert.deepEqual(new TreeEdge(size, earlier).root(), grown.root());
    }
  });

  it('have the paths of C2SP tlog-tiles', () => {
    assert.equal(tilePath({ level: 0, index: 1_234_067 }, 256), '0/x001/x234/067');
    assert.equal(tilePath({ level: 'entries', index: 5 }, 17), 'entries/005.p/17');
    assert.deepEqual(parseTilePath('0/x001/x234/067'), { level: 0, index: 1_234_067, width: 256 });
    assert.deepEqual(parseTilePath('entries/005.p/17'), { level: 'entries', index: 5, width: 17 });
    const wrong = [
      '64/000',
      '00/000',
      '0/0',
      '0/x000/001',
      '0/001.p/0',
      '0/001.p/256',
      '0/001.p/01',
      '0/1234',
      'x/001',
      '',
    ];
    for (const path of wrong) assert.equal(parseTilePath(path), undefined, path);
  });

  it('have their entries in bundles', () => {
    const entries = ['a', '', 'ccc'].map((text) => Buffer.from(text));
    const bundle = bundleOf(entries);
    assert.equal(bundle.toString('hex'), `${'0001'}61${'0000'}${'0003'}636363`);
    assert.deepEqual(entriesOf(bundle), entries);
    assert.throws(() => entriesOf(bundle.subarray(0, -1)));
  });
});
