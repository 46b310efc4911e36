import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { EXIT } from '../../../src/client/commandLine.ts';
import { verifyExport } from '../../../src/client/exportFolder.ts';
import { ProofError } from '../../../src/client/proof.ts';
import { followKeys, type ReadLog, requireContinuation } from '../../../src/client/publicLog.ts';
import { parseLeaf, plainLeaf } from '../../../src/protocol/logFormat.ts';
import { openRotation, signRotation } from '../../../src/protocol/logRotation.ts';
import { leafHash } from '../../../src/protocol/merkle.ts';
import { checkpointText, type Head, isSignedBy, NoteSigner, openCheckpoint } from '../../../src/protocol/note.ts';
import { bundleOf, TreeEdge } from '../../../src/protocol/tiles.ts';
import { exportForum } from '../../../src/tools/export/exportForum.ts';
import { LogSigner } from '../../../workers/log/signer.ts';
import { startWorkers, type Workers } from '../../../workers/worker.ts';
import { runForJson } from '../../client/support/runCommand.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { type LogSettings, logSettings } from '../../support/logSettings.ts';
import { eventually } from '../../support/waits.ts';
import { type Opened, Stranger } from './support/log.ts';
import { LoopbackWitness } from './support/witness.ts';

const ORIGIN = 'log.example/rotated';
const SEEDS = Array.from({ length: 3 }, () => randomBytes(32));
const [FIRST, SECOND, THIRD] = SEEDS.map((seed) => new NoteSigner(ORIGIN, seed)) as [
  NoteSigner,
  NoteSigner,
  NoteSigner,
];

describe('the key of the log, rotated', function () {
  this.timeout(120_000);
  let forum: TestForum;
  let settings: LogSettings;
  let stranger: Stranger;
  let witness: LoopbackWitness;
  let directory: string;
  let workers: Workers | undefined;
  let ada: TestAgent;
  before(async () => {
    settings = await logSettings();
    directory = await mkdtemp(join(tmpdir(), 'forum-rotation-'));
    witness = await new LoopbackWitness('witness.example/1', randomBytes(32)).start();
    witness.trust(FIRST.verifier);
    const env = { ...settings.env, LOG_ORIGIN: ORIGIN, LOG_WITNESSES: witness.setting };
    forum = await startForum({ env });
    stranger = new Stranger(forum.url);
    await writeFile(join(directory, 'log.vkey'), `${FIRST.verifierKey}\n`);
    await work(0);
    ada = await forum.agent();
  });
  after(async () => {
    await workers?.stop();
    await forum.stop();
    await witness.stop();
    await settings.remove();
    await rm(directory, { recursive: true });
  });

  const configOf = (key: number, previous?: number) => {
    const { config } = forum.api.services;
    const [signingKey, previousSigningKey] = [key, previous].map(
      (n) => n !== undefined && SEEDS[n]!.toString('base64url'),
    );
    return {
      ...config,
      log: { ...config.log, signingKey, previousSigningKey: previousSigningKey || undefined },
    } as typeof config;
  };
  async function work(key: number, previous?: number): Promise<void> {
    await workers?.stop();
    workers = await startWorkers(configOf(key, previous), pino({ level: 'silent' }));
  }
  const write = () => ada.post('/v1/posts', { title: 'A title', body: 'Some words' });
  const settled = (): Promise<Opened> => stranger.settled((text) => forum.rows(text));
  const read: ReadLog = async (path) => Buffer.from(await (await stranger.get(path)).arrayBuffer());
  const rotations = async () =>
    (JSON.parse(await stranger.text('rotations')) as { rotations: { note: string; toKey: string }[] }).rotations;

  async function verify(...argv: string[]) {
    const options = ['--log-key', join(directory, 'log.vkey'), ...(argv[0] === 'export' ? [] : ['--anonymous'])];
    return runForJson(['verify', ...argv, ...options], { env: { FORUM_URL: forum.url, HOME: directory } });
  }

  it('has both keys sign, a leaf of the rotation, and witnesses and readers that continue', async () => {
    const { postId } = (await write()).body.post;
    const before = await settled();
    assert.equal((await verify('log')).code, EXIT.ok);
    // One that has the old key alone still runs; it signs nothing any more.
    const old = workers!;
    workers = undefined;
    await work(1, 0);
    await eventually(async () => (await stranger.text('vkey')) === `${SECOND.verifierKey}\n`);
    for (let count = 0; count < 5; count++) {
      await write();
      const { note } = await settled();
      for (const { verifier } of [FIRST, SECOND]) assert.ok(isSignedBy(note, verifier));
    }
    await old.stop();
    await write();
    const after = await settled();
    for (const { verifier } of [FIRST, SECOND]) assert.ok(isSignedBy(after.note, verifier));
    await requireContinuation(read, before, after);
    assert.equal(openCheckpoint(after.note, SECOND.verifier, [witness.signer.verifier]).cosigners.length, 1);

    const [rotation, ...more] = await rotations();
    assert.deepEqual(more, []);
    const leaves = (await stranger.entries(after.size)).map((entry) => parseLeaf(entry)!);
    const told = leaves.filter((leaf) => leaf.kind === 'key');
    assert.deepEqual(told, [{ kind: 'key', number: 1, content: { change: 'log', note: rotation!.note } }]);
    assert.equal((await verify('log')).answer.valid, true);
    assert.equal((await verify('post', postId)).answer.valid, true);
  });

  it('has both keys sign by the time of the database, with any clock of the host', async () => {
    const hosts = Date;
    globalThis.Date = class extends hosts {
      constructor(...args: [] | [number]) {
        super(...((args.length === 0 ? [hosts.now() + 400 * 86_400_000] : args) as [number]));
      }
    } as DateConstructor;
    try {
      await write();
      assert.ok(isSignedBy((await settled()).note, FIRST.verifier));
    } finally {
      globalThis.Date = hosts;
    }
  });

  it('after a time the new one signs alone, and a key that was pinned before leads to it', async () => {
    const { postId } = (await write()).body.post;
    await settled();
    await forum.rows('UPDATE log_rotations SET both_until = now()');
    // A witness learns of it as any reader does: it keeps its head, and trusts the next key.
    const { log, past } = await followKeys(read, FIRST.verifier);
    assert.deepEqual([log.line, past.map(({ line }) => line)], [SECOND.verifierKey, [FIRST.verifierKey]]);
    witness.follow(log);
    await write();
    const { note } = await settled();
    assert.deepEqual([isSignedBy(note, FIRST.verifier), isSignedBy(note, SECOND.verifier)], [false, true]);
    assert.equal(openCheckpoint(note, SECOND.verifier, [witness.signer.verifier]).cosigners.length, 1);
    assert.equal((await verify('log')).answer.valid, true);
    assert.equal((await verify('post', postId)).answer.valid, true);
    // A worker with only the former key no longer signs this log.
    await assert.rejects(
      LogSigner.open(forum.api.services.db, configOf(0), ''),
      /is not the key that the log is signed with/,
    );
  });

  it('again: the pinned key leads over both', async () => {
    const { postId } = (await write()).body.post;
    await settled();
    await work(2, 1);
    await eventually(async () => (await stranger.text('vkey')) === `${THIRD.verifierKey}\n`);
    await write();
    await settled();
    assert.equal((await rotations()).length, 2);
    assert.equal((await verify('post', postId)).answer.valid, true);
    assert.equal((await followKeys(read, FIRST.verifier)).past.length, 2);
    assert.equal((await followKeys(read, THIRD.verifier)).past.length, 0);
  });

  it('is followed in an export, without a connection', async () => {
    const { db, config } = forum.api.services;
    const folder = join(directory, 'export');
    await exportForum(db, config, folder);
    const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
    assert.deepEqual(
      [isSignedBy(manifest.checkpoint, FIRST.verifier), isSignedBy(manifest.checkpoint, THIRD.verifier)],
      [false, true],
    );
    for (const { verifier } of [FIRST, SECOND, THIRD]) await verifyExport(folder, { log: verifier });
    const { answer } = await verify('export', folder);
    assert.equal(answer.valid, true, JSON.stringify(answer));

    // Signed with the first key, stolen: its head must be a head of this log.
    const thief = new NoteSigner(ORIGIN, randomBytes(32));
    const rows = (await readFile(join(folder, 'entries.ndjson'), 'utf8')).trimEnd().split('\n');
    const forge = async (name: string, handOver: NoteSigner, head: Head) => {
      const copy = join(directory, name);
      await cp(folder, copy, { recursive: true });
      const [last, ...before] = rows.toReversed().map((row) => JSON.parse(row).entry as string);
      const content = { change: 'log', note: signRotation(handOver, thief, head) };
      const keys = rows.filter((row) => parseLeaf(Buffer.from(JSON.parse(row).entry))?.kind === 'key').length;
      const entries = [...before.toReversed(), last!, String(plainLeaf('key', keys + 1, content))];
      const edge = new TreeEdge(0, []);
      edge.append(entries.map((entry) => leafHash(Buffer.from(entry))));
      const added = JSON.stringify({ index: String(rows.length), entry: entries.at(-1) });
      const text = `${[...rows, added].join('\n')}\n`;
      await writeFile(join(copy, 'entries.ndjson'), text);
      const note = checkpointText({ origin: ORIGIN, size: edge.size, root: edge.root() });
      const file = manifest.files.find((each: { name: string }) => each.name === 'entries.ndjson');
      const sha256 = createHash('sha256').update(text).digest('hex');
      const listed = { ...file, rows: edge.size, bytes: Buffer.byteLength(text), sha256 };
      const files = manifest.files.map((each: { name: string }) => (each === file ? listed : each));
      const forged = { ...manifest, checkpoint: `${note}\n${thief.sign(note)}`, files };
      await writeFile(join(copy, 'manifest.json'), JSON.stringify(forged));
      return copy;
    };
    const [size, root] = [2, Buffer.alloc(32, 9)];
    await assert.rejects(
      verifyExport(await forge('otherLog', FIRST, { origin: ORIGIN, size, root }), { log: FIRST.verifier }),
      /does not verify under the key of the log/,
    );
    await assert.rejects(
      verifyExport(await forge('otherThird', THIRD, { origin: ORIGIN, size, root }), { log: FIRST.verifier }),
      /do not continue the head of 2/,
    );
    const { head } = openRotation((await rotations())[0]!.note)!;
    await assert.rejects(
      verifyExport(await forge('later', THIRD, { ...head, size: 10_000 }), { log: FIRST.verifier }),
      /does not verify under the key of the log/,
    );
  });

  it('is not followed where it is not in the log, or not signed over', async () => {
    const thief = new NoteSigner(ORIGIN, randomBytes(32));
    const head = await settled();
    const text = checkpointText(head);
    const shown =
      (note: string): ReadLog =>
      async (path) => {
        if (path === 'vkey') return Buffer.from(`${thief.verifierKey}\n`);
        if (path === 'rotations') return Buffer.from(JSON.stringify({ rotations: [...(await rotations()), { note }] }));
        return path === 'checkpoint' ? Buffer.from(`${text}\n${thief.sign(text)}`) : read(path);
      };
    // With the log's own key, stolen: the rotation has a valid signature, and is not in the log.
    const stolen = signRotation(THIRD, thief, head);
    await assert.rejects(
      followKeys(shown(stolen), FIRST.verifier),
      /a rotation of the key of the log is not in the log/,
    );
    for (const [note, problem] of [
      [signRotation(thief, thief, head), /no rotation leads/],
      [stolen.replace(thief.verifierKey, SECOND.verifierKey), /no rotation leads/],
    ] as const) {
      await assert.rejects(followKeys(shown(note), FIRST.verifier), problem);
    }
    const other = new NoteSigner('log.example/other', SEEDS[0]!);
    await assert.rejects(followKeys(read, other.verifier), ProofError);
  });

  it('is not followed to a log that does not continue the head that was signed over', async () => {
    // Signed by the very keys, with their rotations among its entries, and with another beginning.
    const { size } = await settled();
    const [first, ...rest] = await stranger.entries(size);
    const edgeOf = async (entries: Buffer[]): Promise<ReadLog> => {
      const edge = new TreeEdge(0, []);
      const [tile] = edge.append(entries.map(leafHash));
      const text = checkpointText({ origin: ORIGIN, size, root: edge.root() });
      return async (path) => {
        if (path === 'checkpoint') return Buffer.from(`${text}\n${THIRD.sign(text)}`);
        if (path.startsWith('tile/entries/')) return bundleOf(entries);
        return path.startsWith('tile/') ? tile!.hashes : read(path);
      };
    };
    assert.equal((await followKeys(await edgeOf([first!, ...rest]), FIRST.verifier)).log.line, THIRD.verifierKey);
    await assert.rejects(
      followKeys(await edgeOf([Buffer.from('another beginning'), ...rest]), FIRST.verifier),
      /does not continue the one of \d+ that was signed/,
    );
  });
});
