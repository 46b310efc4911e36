import assert from 'node:assert/strict';
import { openRotation, signRotation } from '../../src/protocol/logRotation.ts';
import { NoteSigner } from '../../src/protocol/note.ts';

const signer = (n: number, name = 'log.example/1') => new NoteSigner(name, Buffer.alloc(32, n));
const HEAD = { origin: 'log.example/1', size: 7, root: Buffer.alloc(32, 9) };

describe('a rotation of the key of a log', () => {
  it('is signed by both keys, over both and the last head', () => {
    const rotation = openRotation(signRotation(signer(1), signer(2), HEAD))!;
    assert.equal(rotation.from.line, signer(1).verifierKey);
    assert.equal(rotation.to.line, signer(2).verifierKey);
    assert.deepEqual(rotation.head, HEAD);
  });

  it('is rejected if a signature is missing or foreign, or the text was changed', () => {
    const note = signRotation(signer(1), signer(2), HEAD);
    const text = note.slice(0, note.indexOf('\n\n') + 2);
    const lines = note.split('\n').filter((line) => line.startsWith('—'));
    for (const forged of [
      `${text}${lines[0]}\n`,
      `${text}${lines[1]}\n`,
      note.replace('\n7\n', '\n8\n'),
      note.replace(signer(2).verifierKey, signer(3).verifierKey),
      signRotation(signer(1, 'log.example/2'), signer(2), HEAD),
      signRotation(signer(1), signer(2), { ...HEAD, origin: 'log.example/2' }),
      note.replace('svc-log-key-v1', 'svc-log-key-v2'),
      'svc-log-key-v1',
    ]) {
      assert.equal(openRotation(forged), null, forged);
    }
  });
});
