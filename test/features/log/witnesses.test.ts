import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pino } from 'pino';
import { type Config, loadConfig } from '../../../src/config.ts';
import { logHealth } from '../../../src/features/log/health.ts';
import { checkpointText, NoteSigner, openCheckpoint } from '../../../src/protocol/note.ts';
import { LogSigner } from '../../../workers/log/signer.ts';
import { startWorkers, type Workers } from '../../../workers/worker.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { type LogSettings, logSettings } from '../../support/logSettings.ts';
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
  let log: NoteSigner;
  let settings: LogSettings;
  let config: Config;
  let workers: Workers;
  before(async () => {
    settings = await logSettings();
    log = new NoteSigner(ORIGIN, Buffer.from(settings.env.LOG_SIGNING_KEY!, 'base64url'));
    forum = await startForum({ env: { ...settings.env, LOG_ORIGIN: ORIGIN } });
    stranger = new Stranger(forum.url);
    ada = await forum.agent();
  });
  after(async () => {
    await forum.stop();
    await settings.remove();
  });
  // Each test has witnesses and a worker of its own, and continues the log of the test before.
  beforeEach(async () => {
    await forum.rows('DELETE FROM log_witnesses');
    await forum.rows('UPDATE log_head SET halted = NULL');
    witnesses = await Promise.all(
      [1, 2].map((n) => new LoopbackWitness(`witness.example/${n}`, randomBytes(32)).start()),
    );
    for (const witness of witnesses) witness.trust(log.verifier);
    const LOG_WITNESSES = witnesses.map(({ setting }) => setting).join(',');
    const addresses = { DATABASE_URL: forum.database.url, REDIS_URL: forum.redisUrl };
    config = loadConfig({ ...addresses, ...settings.env, LOG_ORIGIN: ORIGIN, LOG_WITNESSES });
    workers = await work();
  });
  afterEach(async () => {
    await workers.stop();
    await Promise.all(witnesses.map((witness) => witness.stop()));
  });

  const work = () => startWorkers(config, pino({ level: 'silent' }));
  const settled = () => stranger.settled((text) => forum.rows(text));
  const write = () => ada.post('/v1/posts', { title: 'A title', body: 'Some words' });
  const halted = async () => (await forum.rows<{ halted: string | null }>('SELECT halted FROM log_head'))[0]!.halted;
  const shown = async () => ((await (await stranger.get('witnesses')).json()) as { witnesses: Shown[] }).witnesses;

  async function requireNothingSigned({ note }: { note: string }, ...posts: string[]): Promise<void> {
    assert.equal((await stranger.checkpoint()).note, note);
    for (const postId of posts) assert.equal((await ada.anonymous('GET', `/v1/posts/${postId}/proof`)).status, 202);
  }

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

  it('are asked from the size that they know, if it is not known here', async () => {
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

  it('a silent witness is left out and shown as silent', async () => {
    witnesses[0]!.isSilent = true;
    await write();
    const { note } = await settled();
    const verifiers = witnesses.map(({ signer }) => signer.verifier);
    const names = openCheckpoint(note, await stranger.verifier(), verifiers).cosigners.map(({ name }) => name);
    assert.deepEqual(names, ['witness.example/2']);
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

  it('a witness that failed cosigns the current head without another write', async () => {
    witnesses[0]!.isFailing = true;
    await write();
    const { note } = await settled();
    await eventually(async () => (await shown()).some(({ error }) => error !== null));
    witnesses[0]!.isFailing = false;
    const second = await work();
    try {
      await eventually(async () => (await shown()).every(({ error }) => error === null));
      await eventually(async () => (await stranger.checkpoint()).note !== note);
    } finally {
      await second.stop();
    }
    const verifiers = witnesses.map(({ signer }) => signer.verifier);
    const { note: later } = await stranger.checkpoint();
    assert.ok(later.startsWith(note));
    assert.equal(openCheckpoint(later, await stranger.verifier(), verifiers).cosigners.length, 2);
    assert.equal((await logHealth(forum.api.services.db)).witnessSilentSeconds, 0);
  });

  it('an unreachable witness is shown with the reason', async () => {
    await witnesses[0]!.stop();
    await write();
    await eventually(async () => (await shown()).some(({ error }) => error !== null));
    assert.equal((await shown())[0]!.error, 'cannot be reached (ECONNREFUSED)');
    await witnesses[0]!.start();
  });

  it('are silent for the age of the log if they never cosigned, however often they are asked', async () => {
    witnesses[0]!.isFailing = true;
    await write();
    await settled();
    await eventually(async () => (await shown()).some(({ error }) => error !== null));
    await forum.rows(`UPDATE log_leaves SET accepted_at = accepted_at - interval '2 hours'`);
    assert.ok((await logHealth(forum.api.services.db)).witnessSilentSeconds > 7_000);
  });

  it('a witness removed from the setting is forgotten', async () => {
    witnesses[0]!.isFailing = true;
    await write();
    await settled();
    await eventually(async () => (await shown()).length === 2);
    const { db } = forum.api.services;
    const left = config.log.witnesses.slice(1);
    await LogSigner.open(db, { ...config, log: { ...config.log, witnesses: left } }, '');
    assert.deepEqual(
      (await shown()).map(({ name }) => name),
      ['witness.example/2'],
    );
    assert.equal((await logHealth(db)).witnessSilentSeconds, 0);
  });

  it('are asked by two workers concurrently, and an overtaken head halts nothing', async () => {
    await write();
    await settled();
    const second = await work();
    const [witness] = witnesses as [LoopbackWitness, LoopbackWitness];
    const { isHolding, release } = witness.holdNext();
    await write();
    await eventually(async () => isHolding());
    await write();
    await eventually(async () => {
      const [head] = await forum.rows<{ size: number }>(
        'SELECT size::integer AS size FROM log_head WHERE NOT EXISTS (SELECT FROM log_pending)',
      );
      return witness.headOf(ORIGIN)!.size === head?.size;
    });
    release();
    await eventually(async () => witness.answered.includes(409));
    await second.stop();
    await write();
    const { size } = await settled();
    assert.equal(witness.headOf(ORIGIN)!.size, size);
    assert.equal(await halted(), null);
  });

  for (const [title, status, ahead] of [
    ['has seen more than there is (409)', 409, 5],
    ['has seen another history (422)', 422, 0],
  ] as const) {
    it(`one that ${title} and shows it stops the log, and nothing else`, async () => {
      await write();
      const before = await settled();
      const other = { origin: ORIGIN, size: before.size + ahead, root: Buffer.alloc(32, 1) };
      const text = checkpointText(other);
      witnesses[1]!.believe(ORIGIN, other, `${text}\n${log.sign(text)}${witnesses[1]!.signer.sign(text, 1)}`);
      const { body } = await write();
      await eventually(async () => (await halted()) !== null);
      assert.ok(witnesses[1]!.answered.includes(status));
      await requireNothingSigned(before, body.post.postId, (await write()).body.post.postId);
    });
  }

  it('one that only says so holds the log back as long as it says so, and halts nothing', async () => {
    await write();
    const before = await settled();
    const seen = witnesses[1]!.headOf(ORIGIN)!;
    const { body } = await write();
    for (const [status, ahead] of [
      [409, 5],
      [422, 0],
    ] as const) {
      witnesses[1]!.believe(ORIGIN, { ...seen, size: seen.size + ahead, root: Buffer.alloc(32, 1) });
      await eventually(async () => witnesses[1]!.answered.includes(status));
      await requireNothingSigned(before, body.post.postId, (await write()).body.post.postId);
    }
    assert.match((await shown())[1]!.error!, /^the witness witness.example\/2 has seen /);
    assert.ok((await logHealth(forum.api.services.db)).oldestSeconds > 0);
    witnesses[1]!.believe(ORIGIN, seen);
    const after = await settled();
    assert.ok(after.size > before.size);
    assert.equal(witnesses[1]!.headOf(ORIGIN)!.size, after.size);
    assert.equal(await halted(), null);
  });

  it('one that shows no head of this log keeps no worker from signing', async () => {
    await write();
    const { size } = await settled();
    witnesses[0]!.believe(ORIGIN, witnesses[0]!.headOf(ORIGIN)!, 'no note\n');
    const { db } = forum.api.services;
    const forgetful = { ...config, log: { ...config.log, memoryDir: join(config.log.memoryDir!, 'empty') } };
    const signer = await LogSigner.open(db, forgetful, '');
    assert.equal(await signer.publish(), null);
    assert.equal((await stranger.checkpoint()).size, size);
  });
});
