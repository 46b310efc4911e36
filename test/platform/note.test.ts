import assert from 'node:assert/strict';
import {
  CheckpointError,
  COSIGNATURE_KEY,
  NoteSigner,
  openCheckpoint,
  parseCheckpointText,
  parseNote,
  parseVerifierKey,
  verifyNote,
} from '../../src/protocol/note.ts';

/** The example of C2SP signed-note. */
const EXAMPLE_KEY = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
const EXAMPLE = `This is an example message.

— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
`;
/** The example of C2SP tlog-cosignature: a checkpoint with the signature of a log and of a witness. */
const CHECKPOINT = `example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==
`;

describe('signed notes', () => {
  it('opens the notes of the C2SP test vectors', () => {
    const verifier = parseVerifierKey(EXAMPLE_KEY)!;
    assert.equal(verifyNote(parseNote(EXAMPLE)!, [verifier])?.length, 1);
    assert.equal(verifyNote(parseNote(EXAMPLE.replace('example message', 'exemple message'))!, [verifier]), null);
    assert.deepEqual(verifyNote(parseNote(EXAMPLE)!, []), []);
  });

  it('parses a cosigned checkpoint as C2SP specifies', () => {
    const note = parseNote(CHECKPOINT)!;
    const head = parseCheckpointText(note.text)!;
    assert.deepEqual([head.origin, head.size], ['example.com/behind-the-sofa', 20_852_163]);
    assert.deepEqual(
      note.signatures.map(({ name, id, bytes }) => [name, id, bytes.length]),
      [
        ['example.com/behind-the-sofa', '033de0ae', 64],
        ['witness.example.com/w1', '8d66cf3f', 72],
      ],
    );
    assert.equal(Number(note.signatures[1]!.bytes.readBigUInt64BE(0)), 1_679_315_147);
  });

  it('are not what only resembles them', () => {
    const wrong = [
      'no signature\n',
      'text\n\n- a AAAAAAA=\n',
      'text\n\n— a b c\n',
      'text\n\n— a+b AAAAAAA=\n',
      'text\r\n\n— a AAAAAAA=\n',
      'text\n\n— a AAAAAAB=\n',
      'text\n\n— a AAAAAAA=',
    ];
    for (const note of wrong) assert.equal(parseNote(note), null, JSON.stringify(note));
    assert.ok(parseNote('text\n\n— a AAAAAAA=\n'));
    for (const key of ['', EXAMPLE_KEY.replace('530d903a', '530d903b'), `${EXAMPLE_KEY}A`, 'a+530d903a+AQ==']) {
      assert.equal(parseVerifierKey(key), null, key);
    }
    for (const text of ['o\n01\n\n', 'o\n1\nAA==\n', '\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n']) {
      assert.equal(parseCheckpointText(text), null, text);
    }
  });

  it('opens notes signed here, with the cosignatures of known witnesses', () => {
    const log = new NoteSigner('log.example/1', Buffer.alloc(32, 1));
    const witness = new NoteSigner('witness.example/1', Buffer.alloc(32, 2), COSIGNATURE_KEY);
    const text = 'log.example/1\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n';
    const note = `${text}\n${log.sign(text)}${witness.sign(text, 1_700_000_000)}`;
    const verifier = parseVerifierKey(log.verifierKey)!;
    assert.deepEqual(openCheckpoint(note, verifier).cosigners, []);
    const { cosigners } = openCheckpoint(note, verifier, [witness.verifier]);
    assert.deepEqual(
      cosigners.map(({ name, time }) => [name, time]),
      [['witness.example/1', 1_700_000_000]],
    );
    const later = note.replace(witness.sign(text, 1_700_000_000), witness.sign(`${text}x\n`, 1_700_000_000));
    assert.throws(() => openCheckpoint(later, verifier, [witness.verifier]), CheckpointError);
    assert.throws(() => openCheckpoint(note, witness.verifier), CheckpointError);
    assert.throws(
      () => openCheckpoint(`${text}\n${witness.sign(text, 1)}`, verifier, [witness.verifier]),
      CheckpointError,
    );
    const at = (time: number) => `${text}\n${log.sign(text)}${witness.sign(text, time)}`;
    const now = Math.floor(Date.now() / 1_000);
    for (const time of [0, now + 600, 4_102_444_800]) {
      assert.throws(
        () => openCheckpoint(at(time), verifier, [witness.verifier]),
        /witness.example\/1 has the time 0 or one in the future/,
      );
      assert.equal(verifyNote(parseNote(at(time))!, [witness.verifier]), null);
    }
    assert.equal(openCheckpoint(at(now + 30), verifier, [witness.verifier]).cosigners.length, 1);
    // A cosignature never replaces the log's own signature.
    assert.throws(() => openCheckpoint(`${text}\n${log.sign(text)}`.replace('log.example', 'log2.example'), verifier));
  });
});
