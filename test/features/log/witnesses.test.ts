import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { NoteSigner, openCheckpoint } from '../../../src/formats/note.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { eventually } from '../../support/waits.ts';
import { Stranger } from './support/log.ts';
import { LoopbackWitness } from './support/witness.ts';

const ORIGIN = 'log.example/1';

interface Shown {
  readonly name: string;
  readonly cosignedAt: string | null;
  readonly error: string | null;
}

describe('the witnesses of the log', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let stranger: Stranger;
  let ada: TestAgent;
  let witnesses: LoopbackWitness[];
  beforeEach(async () => {
    const seed = randomBytes(32);
    witnesses = await Promise.all(
      [1, 2].map((n) => new LoopbackWitness(`witness.example/${n}`, randomBytes(32)).start()),
    );
    for (const witness of witnesses) witness.trust(new NoteSigner(ORIGIN, seed).verifier);
    const LOG_WITNESSES = witnesses.map(({ setting }) => setting).join(',');
    const env = { LOG_ORIGIN: ORIGIN, LOG_SIGNING_KEY: seed.toString('base64url'), LOG_WITNESSES };
    forum = await startForum({ workers: true, env });
    stranger = new Stranger(forum.url);
    ada = await forum.agent();
  });
  afterEach(async () => {
    await forum.stop();
    await Promise.all(witnesses.map((witness) => witness.stop()));
  });

  const settled = () => stranger.settled((text) => forum.rows(text));
  const write = () => ada.post('/v1/posts', { title: 'A title', body: 'Some words' });
  const halted = async () => (await forum.rows<{ halted: string | null }>('SELECT halted FROM log_head'))[0]!.halted;
  const shown = async () => ((await (await stranger.get('witnesses')).json()) as { witnesses: Shown[] }).witnesses;

  it('cosign every head that continues what they have seen', async () => {
    for (let n = 0; n < 3; n++) {
      await write();
      const { note, size } = await settled();
      const verifiers = witnesses.map(({ signer }) => signer.verifier);
      const { cosigners } = openCheckpoint(note, await stranger.verifier(), verifiers);
      assert.deepEqual(cosigners.map(({ name }) => name).toSorted(), ['witness.example/1', 'witness.example/2']);
      assert.equal(witnesses[0]!.headOf(ORIGIN)!.size, size);
    }
    for (const { error, cosignedAt } of await shown()) assert.ok(error === null && cosignedAt);
  });

  it('are asked from where they stand, when that is not known here', async () => {
    await write();
    await settled();
    await forum.rows('DELETE FROM log_witnesses');
    await write();
    const { note } = await settled();
    assert.ok(witnesses.every(({ answered }) => answered.includes(409)));
    const { cosigners } = openCheckpoint(
      note,
      await stranger.verifier(),
      witnesses.map(({ signer }) => signer.verifier),
    );
    assert.equal(cosigners.length, 2);
  });

  it('that are silent are left out, and seen', async () => {
    witnesses[0]!.isSilent = true;
    await write();
    const { note } = await settled();
    const verifiers = witnesses.map(({ signer }) => signer.verifier);
    const names = openCheckpoint(note, await stranger.verifier(), verifiers).cosigners.map(({ name }) => name);
    assert.ok(!names.includes('witness.example/1') || names.includes('witness.example/2'));
    await eventually(async () => (await shown()).some(({ error }) => error !== null));
    const [silent] = await shown();
    assert.equal(silent?.name, 'witness.example/1');
    await write();
    const again = openCheckpoint((await settled()).note, await stranger.verifier(), verifiers);
    assert.deepEqual(
      again.cosigners.map(({ name }) => name),
      ['witness.example/2'],
    );
  });

  for (const [title, status, ahead] of [
    ['has seen more than there is (409)', 409, 5],
    ['has seen another history (422)', 422, 0],
  ] as const) {
    it(`one that ${title} stops the log, and nothing else`, async () => {
      await write();
      const before = await settled();
      witnesses[1]!.believe(ORIGIN, { origin: ORIGIN, size: before.size + ahead, root: Buffer.alloc(32, 1) });
      const { body } = await write();
      await eventually(async () => (await halted()) !== null);
      assert.ok(witnesses[1]!.answered.includes(status));
      assert.equal((await stranger.checkpoint()).note, before.note);
      const { post } = (await write()).body;
      for (const { postId } of [body.post, post]) {
        assert.equal((await ada.anonymous('GET', `/v1/posts/${postId}/proof`)).status, 202);
      }
    });
  }
});
