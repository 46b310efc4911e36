import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT } from '../../../src/client/commandLine.ts';
import { verifyExport } from '../../../src/client/exportFolder.ts';
import { ProofError, type Trust } from '../../../src/client/proof.ts';
import { commitmentTo, writeLeaf } from '../../../src/protocol/logFormat.ts';
import { leafHash } from '../../../src/protocol/merkle.ts';
import { COSIGNATURE_KEY, checkpointText, NoteSigner } from '../../../src/protocol/note.ts';
import { TreeEdge } from '../../../src/protocol/tiles.ts';
import { exportForum } from '../../../src/tools/export/exportForum.ts';
import { runForJson } from '../../client/support/runCommand.ts';
import { freshNonce } from '../../contract/support/signing.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { eventually } from '../../support/waits.ts';
import { rotation, sendFreeze, sendRotation } from '../agents/rotating.ts';
import * as challenges from '../challenges/support.ts';
import { finding, independentHashes } from '../findings/support.ts';
import { ask, reply, vote } from '../questions/support/scenes.ts';
import { Stranger } from './support/log.ts';

// biome-ignore lint/suspicious/noExplicitAny: what was exported is changed freely here
type Json = any;

describe('exports', function () {
  this.timeout(120_000);
  let forum: TestForum;
  let directory: string;
  /** More entries than one bundle holds. */
  let folder: string;
  /** All but what makes them many: forging one takes as long as verifying all. */
  let few: string;
  let trust: Trust;
  let ada: TestAgent;
  let bob: TestAgent;
  let carol: TestAgent;
  let ids: Record<'post' | 'reply' | 'removed', string>;
  before(async () => {
    forum = await startForum({ workers: true, env: { LIMIT_POSTS: '1000' } });
    directory = await mkdtemp(join(tmpdir(), 'forum-export-'));
    folder = join(directory, 'export');
    few = join(directory, 'few');
    [ada, bob, carol] = [await forum.agent(), await forum.agent(), await forum.agent()];
    const community = { slug: 'logic', displayName: 'Logic', description: 'Of proofs', visibility: 'public' };
    await ada.post('/v1/communities', community);
    await bob.post('/v1/communities/logic/members', {});
    const post = (await ada.post('/v1/posts', { title: '## A title', body: 'Some words', communitySlug: 'logic' })).body
      .post.postId;
    const first = await reply(bob, post, 'An answer');
    await ada.post(`/v1/posts/${post}/replies`, { body: 'Back to you', parentReplyId: first });
    await vote(ada, first);
    const params = { name: 'create_post', arguments: { title: '# By MCP', body: 'A tool wrote this' } };
    await ada.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    const question = await ask(bob, 3);
    await closeWithoutBody(await ask(bob, 2));
    await ada.post('/v1/feedback', { kind: 'bug', title: 'A bug', body: 'It is cut' });
    const { hash: baseHash } = (await ada.anonymous('GET', '/v1/constitution')).body;
    await ada.post('/v1/amendments', { title: 'Better', body: 'Because', proposedText: 'Be kind.', baseHash });
    const scoringAt = new Date(forum.api.clock.now() + challenges.HOUR_MS).toISOString().replace('Z', '99+00:00');
    await challenges.declare(forum, ada, { checkerProgram: challenges.DEEP_PROGRAM, scoringAt });
    await decideChallenge();
    await postFindings();
    const removed = (await bob.post('/v1/posts', { title: 'Gone', body: 'Soon' })).body.post.postId;
    const act = { action: 'remove_content', targetType: 'post', targetId: removed, reason: 'By the rules' };
    await forum.operator.post('/v1/governance/enforcement', act);
    const gone = await reply(ada, question, 'Rude');
    await forum.operator.post('/v1/governance/enforcement', { ...act, targetType: 'reply', targetId: gone });
    const suspension = { ...act, action: 'suspend_agent', targetType: 'agent', targetId: carol.agentId };
    await forum.operator.post('/v1/governance/enforcement', suspension);
    const secret = { slug: 'secret', displayName: 'S', description: '', visibility: 'encrypted' };
    await bob.post('/v1/communities', secret);
    ids = { post, reply: first, removed };
    const stranger = new Stranger(forum.url);
    const { db, config } = forum.api.services;
    await stranger.settled((text) => forum.rows(text));
    await exportForum(db, config, few);
    for (let n = 0; n < 250; n++) await bob.post('/v1/posts', { title: `Post ${n}`, body: 'Words' });
    await stranger.settled((text) => forum.rows(text));
    trust = { log: await stranger.verifier() };
    await writeFile(join(directory, 'log.vkey'), await stranger.text('vkey'));
    await exportForum(db, config, folder);
  });
  after(async () => {
    await forum.stop();
    await rm(directory, { recursive: true });
  });

  /** One that bob wins; the answer of the operator does not. */
  async function decideChallenge(): Promise<void> {
    const challenge = await challenges.openChallenge(forum, ada);
    assert.equal((await challenges.submit(forum.operator, challenge, challenges.FAILURE)).status, 201);
    assert.equal((await challenges.submit(bob, challenge, challenges.SOLUTION)).status, 201);
    challenges.close(forum, challenge);
    assert.equal((await challenges.score(ada, challenge)).status, 200);
  }

  /** One that is corrected by another, and one that corrects what was removed; the last comes by a tool. */
  async function postFindings(): Promise<void> {
    const attach = async (change: object) => {
      const { body } = await ada.post('/v1/posts', { title: 'A finding', body: 'Look', finding: finding(change) });
      return { postId: body.post.postId, attachmentHash: body.post.finding.attachmentHash };
    };
    await attach({ supersedes: await attach({ result: { mean: 9 } }) });
    const supersedes = await attach({ dataset: { values: [1] } });
    const given = { title: 'Better', body: 'Look', finding: finding({ supersedes }) };
    const params = { name: 'create_post', arguments: given };
    const called = await ada.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    assert.equal(called.body.result.isError, false);
    const removal = {
      action: 'remove_content',
      targetType: 'post',
      targetId: supersedes.postId,
      reason: 'By the rules',
    };
    assert.equal((await forum.operator.post('/v1/governance/enforcement', removal)).status, 201);
  }

  /** Where there is no body, line 7 of what is signed may be empty. */
  async function closeWithoutBody(postId: string): Promise<void> {
    const path = `/v1/questions/${postId}/closure`;
    const [timestamp, nonce] = [String(Math.floor(Date.now() / 1_000)), freshNonce()];
    const signature = bob.sign(`svc-request-v1\nPOST\n${path}\n\n${timestamp}\n${nonce}\n`);
    const headers = { 'x-svc-timestamp': timestamp, 'x-svc-nonce': nonce, 'x-svc-signature': signature };
    assert.equal((await bob.signed('POST', path, { headers })).status, 200);
  }

  async function command(path: string, ...more: string[]): Promise<{ code: number; answer: Json }> {
    const argv = ['verify', 'export', path, '--log-key', join(directory, 'log.vkey'), ...more];
    return runForJson(argv, { env: { FORUM_URL: 'http://127.0.0.1:1', HOME: directory } });
  }

  const read = async (name: string, from = few): Promise<Json[]> =>
    (await readFile(join(from, `${name}.ndjson`), 'utf8'))
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));

  /** A copy whose manifest agrees with what was changed, unless it shall not. */
  async function forged(
    change: { file: string; rows: (rows: Json[]) => Json[] } | { manifest: (manifest: Json) => void },
    { adapted = true, from = few } = {},
  ): Promise<string> {
    const copy = await mkdtemp(join(directory, 'forged-'));
    await cp(from, copy, { recursive: true });
    const path = join(copy, 'manifest.json');
    const manifest = JSON.parse(await readFile(path, 'utf8'));
    if ('manifest' in change) change.manifest(manifest);
    else {
      const lines = change.rows(structuredClone(await read(change.file, from)));
      const text = lines.map((row) => `${JSON.stringify(row)}\n`).join('');
      const name = `${change.file}.ndjson`;
      assert.notEqual(text, await readFile(join(copy, name), 'utf8'), 'nothing was forged');
      await writeFile(join(copy, name), text);
      const sha256 = createHash('sha256').update(text).digest('hex');
      const listed = { name, rows: lines.length, bytes: Buffer.byteLength(text), sha256 };
      if (adapted) manifest.files = manifest.files.map((file: Json) => (file.name === name ? listed : file));
    }
    await writeFile(path, JSON.stringify(manifest));
    return copy;
  }

  const refused = async (path: string, problem: RegExp): Promise<void> => {
    await assert.rejects(verifyExport(path, trust), (error: Error) => {
      assert.ok(error instanceof ProofError, String(error.stack));
      assert.match(error.message, problem);
      return true;
    });
  };

  it('have all that is public, and agree with the head of the log, without a connection', async () => {
    const { code, answer } = await command(folder);
    assert.equal(code, EXIT.ok, JSON.stringify(answer));
    const { posts, findings, replies, agents, governance, feedback, communities, challenges: declared } = answer.rows;
    assert.deepEqual([posts, findings, replies, agents, governance], [258, 3, 2, 4, 5]);
    assert.deepEqual([feedback, communities, declared, answer.unproven], [1, 1, 2, 0]);
    assert.equal(answer.withheld.removed, 3);
    assert.ok(answer.withheld.private >= 2);
    const shown = (await read('posts', folder)).find(({ postId }) => postId === ids.post);
    assert.deepEqual(shown, (await ada.anonymous('GET', `/v1/posts/${ids.post}`)).body.post);
    const everything = await Promise.all(['posts', 'entries', 'communities'].map((name) => read(name, folder)));
    assert.ok(!JSON.stringify(everything).includes('secret'));
    assert.ok(!JSON.stringify(everything[0]).includes(ids.removed));
  });

  it('leave what has no place in the log yet to the next one', async () => {
    const { db, config } = forum.api.services;
    const later = join(directory, 'later');
    const writes = Promise.all(
      Array.from({ length: 5 }, () => ada.post('/v1/posts', { title: 'Late', body: 'Later' })),
    );
    await exportForum(db, config, later);
    await writes;
    assert.equal((await command(later)).code, EXIT.ok);
  });

  it('leave a row of every file that waits for its place, or for a signed head above that', async () => {
    const { db, config } = forum.api.services;
    const settled = () => new Stranger(forum.url).settled((text) => forum.rows(text));
    const rowsIn = async (name: string) => {
      const path = join(directory, name);
      await exportForum(db, config, path);
      return (await verifyExport(path, trust)).rows;
    };
    await settled();
    const earlier = await rowsIn('before');
    const holder = await forum.database.pool.connect();
    try {
      await holder.query('BEGIN; SELECT FROM log_checkpoint FOR UPDATE');
      await writeOneOfEach('placed');
      const placed = `SELECT FROM log_head h, log_checkpoint c WHERE h.size > c.size
        AND h.agents = (SELECT count(*) FROM agents) AND NOT EXISTS (SELECT FROM log_pending)`;
      await eventually(async () => (await forum.rows(placed)).length === 1);
      await holder.query('SELECT FROM log_head FOR UPDATE');
      await writeOneOfEach('pending');
      assert.deepEqual(await rowsIn('between'), earlier);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    await settled();
    const { entries: _, ...grown } = await rowsIn('after');
    for (const [file, count] of Object.entries(grown)) {
      assert.equal(count, earlier[file]! + (file === 'meter' ? 0 : 2), file);
    }
  });

  /** A row of every file but `meter`, the reply in a thread that has a place. */
  async function writeOneOfEach(slug: string): Promise<void> {
    const dan = await forum.agent();
    await reply(bob, ids.post);
    const community = { slug, displayName: 'Late', description: '', visibility: 'public' };
    const act = { action: 'adjust_karma', targetType: 'agent', targetId: dan.agentId, amount: 1, reason: 'Late' };
    for (const answer of [
      await ada.post('/v1/communities', community),
      await ada.post('/v1/posts', { title: 'Late', body: 'Look', finding: finding(), communitySlug: slug }),
      await ada.post('/v1/feedback', { kind: 'bug', title: 'Late', body: 'It comes late' }),
      await forum.operator.post('/v1/governance/enforcement', act),
    ])
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
    await challenges.declare(forum, ada);
  }

  it('an export with one changed letter in any file is refused', async () => {
    const spoil = (name: string) => (value: Json) => ({ ...value, [name]: `${value[name]}x` });
    const last = (change: (row: Json) => Json) => (rows: Json[]) => [...rows.slice(0, -1), change(rows.at(-1))];
    for (const [file, name] of [
      ['posts', 'title'],
      ['posts', 'body'],
      ['posts', 'postId'],
      ['replies', 'body'],
      ['replies', 'replyId'],
      ['communities', 'description'],
      ['feedback', 'body'],
      ['governance', 'reason'],
      ['governance', 'kind'],
      ['agents', 'handle'],
      ['entries', 'entry'],
    ] as const) {
      const change = (rows: Json[]) => {
        const at = rows.findLastIndex((row) => row.removed !== true);
        return rows.map((row, n) => (n === at ? spoil(name)(row) : row));
      };
      await refused(await forged({ file, rows: change }, { adapted: false }), /manifest|signed|log|registered|entr/);
      await refused(await forged({ file, rows: change }), /signed|log|registered|entr|among/);
    }
    await refused(
      await forged({
        file: 'posts',
        rows: last((row) => ({ ...row, author: { ...row.author, agentId: bob.agentId } })),
      }),
      /not what was signed/,
    );
    for (const [name, value] of [
      ['encryption_public_key', 'AAAA'],
      ['owner_encryption_public_key', 'AAAA'],
      ['signature', 'AAAA'],
      ['self_description', { display_name: 'Ada', purpose: 'another', capabilities: ['search', 'math'] }],
      ['self_description', undefined],
    ] as const) {
      const changed = (row: Json) => ({ ...row, identity: { ...row.identity, [name]: value } });
      await refused(await forged({ file: 'agents', rows: last(changed) }), /not what was registered/);
    }
    for (const change of [{ registrationOrdinal: 1 }, { capabilities: ['judging'] }]) {
      const changed = (row: Json) => ({ ...row, ...change });
      await refused(await forged({ file: 'agents', rows: last(changed) }), /not what was registered/);
    }
    const nameless = (row: Json) => ({ ...row, identity: null });
    await refused(await forged({ file: 'agents', rows: last(nameless) }), /not what was registered/);
    const prompt = (row: Json) => ({ ...row, declaration: { ...row.declaration, prompt: 'Find y' } });
    await refused(await forged({ file: 'challenges', rows: last(prompt) }), /not what was signed/);
    for (const name of ['stakingOpensAt', 'scoringAt', 'declarationHash']) {
      const declared = (row: Json) => ({ ...row, declaration: spoil(name)(row.declaration) });
      await refused(await forged({ file: 'challenges', rows: last(declared) }), /not what was signed/);
    }
    const declaration = (row: Json) => ({ ...row.declaration, statement: 'Something else' });
    for (const change of [
      (row: Json) => ({ ...row, result: { mean: 1.9 } }),
      (row: Json) => ({ ...row, declaration: declaration(row) }),
      (row: Json) => ({ ...row, verdict: { outcome: row.verdict.win ? 'fail' : 'pass', win: !row.verdict.win } }),
      (row: Json) => ({ ...row, manifestHash: row.datasetHash }),
    ])
      await refused(await forged({ file: 'findings', rows: last(change) }), /does not agree/);
    // In itself it all agrees: another finding of the same, or one that is good by itself.
    const [first] = await read('findings');
    const other = independentHashes(finding({ result: { mean: 2.1 } }), { outcome: 'pass', win: true }, null);
    const verdict = { outcome: 'pass', win: true };
    for (const change of [
      (row: Json) => ({ ...first, postId: row.postId }),
      (row: Json) => ({ ...row, ...other, verdict, result: { mean: 2.1 }, supersedes: null }),
      (row: Json) => ({ ...row, authorAgentId: bob.agentId }),
    ])
      await refused(await forged({ file: 'findings', rows: last(change) }), /not what was signed/);
    const shown = (row: Json) => row.finding && { ...row, finding: { ...row.finding, attachmentHash: 'A'.repeat(43) } };
    const onPost = (rows: Json[]) => rows.map((row) => shown(row) ?? row);
    await refused(await forged({ file: 'posts', rows: onPost }), /not what was signed/);
    for (const name of ['proposedHash', 'baseHash']) {
      const amended = (row: Json) =>
        row.amendment ? { ...row, amendment: { ...row.amendment, [name]: 'A'.repeat(43) } } : row;
      await refused(await forged({ file: 'posts', rows: (rows) => rows.map(amended) }), /not what was signed/);
    }
  });

  it('an export with a verdict that its program does not give is refused', async () => {
    const decided = (change: (row: Json) => void) => (rows: Json[]) => {
      change(rows.find(({ scoring }) => scoring !== null));
      return rows;
    };
    for (const change of [
      ({ submissions }: Json) => {
        submissions.items[0].answer.x = 41;
      },
      ({ submissions }: Json) => {
        submissions.items[0].answerHash = submissions.items[1].answerHash;
      },
      ({ submissions }: Json) => {
        submissions.items[0].verdict = submissions.items[1].verdict;
      },
      ({ scoring }: Json) => {
        scoring.winner.agentId = carol.agentId;
      },
      ({ scoring }: Json) => {
        scoring.outcome = 'unsolved';
      },
      ({ submissions }: Json) => {
        submissions.items.shift();
      },
    ])
      await refused(await forged({ file: 'challenges', rows: decided(change) }), /decision/);
  });

  it('an export with a missing, additional or repeated row is refused', async () => {
    const without = (is: (row: Json) => boolean) => (rows: Json[]) => rows.filter((row) => !is(row));
    for (const file of [
      'posts',
      'replies',
      'findings',
      'agents',
      'communities',
      'challenges',
      'feedback',
      'governance',
    ]) {
      const at = (await read(file)).findIndex((row) => row.removed !== true);
      const rows = (all: Json[]) => all.toSpliced(at, 1);
      await refused(await forged({ file, rows }, { adapted: false }), /manifest says|among|is in the log/);
      await refused(await forged({ file, rows }), /is in the log|among/);
      await refused(await forged({ file, rows: (all) => [...all, all[at]] }), /twice/);
    }
    for (const index of ['0', '100', '255']) {
      const rows = without((row) => row.index === index);
      await refused(await forged({ file: 'entries', rows }, { from: folder }), /is missing/);
    }
    await refused(await forged({ file: 'entries', rows: (rows) => rows.slice(0, -1) }), /not those of the head/);
    const made = { postId: 'p_0000000000000000000000000', title: 'Made up' };
    const added = await forged({ file: 'posts', rows: (rows) => [...rows, { ...rows[0], ...made }] });
    await refused(added, /1 rows are in no entry/);
    // Only a removed reply keeps its place, without any of its content.
    for (const [file, id] of [
      ['posts', { postId: 'p_0000000000000000000000000' }],
      ['replies', { replyId: 'r_0000000000000000000000000' }],
      ['challenges', { challengeId: 'ch_0000000000000000000000000' }],
      ['feedback', { feedbackId: 'fb_0000000000000000000000000' }],
      ['communities', { slug: 'made-up' }],
    ] as const) {
      const asRemoved = (rows: Json[]) => [...rows, { ...rows.find((row) => !row.removed), ...id, removed: true }];
      await refused(await forged({ file, rows: asRemoved }), /1 rows are in no entry/);
    }
    const { answer } = await command(added, '--allow-unproven');
    assert.deepEqual([answer.valid, answer.unproven], [true, 1]);
  });

  it('refuse entries with a wrong or missing opening', async () => {
    const at = (await read('entries')).findIndex(({ evidence }) => evidence?.includes(ids.post));
    const changed = (change: (row: Json, rows: Json[]) => Json) => (rows: Json[]) =>
      rows.with(at, change(rows[at], rows));
    const actAt = (await read('entries')).findIndex(({ entry }) => entry.startsWith('svc-log-v1\nact '));
    const opened = (rows: Json[]) => rows.find((row, n) => n !== at && row.evidence !== undefined);
    for (const [change, problem] of [
      [(row: Json) => ({ ...row, evidence: row.evidence.replace('Some words', 'Some wordz') }), /of another one/],
      [
        (row: Json) => ({ ...row, evidence: row.evidence.replace(ada.agentId, bob.agentId) }),
        /of another one|key is not that/,
      ],
      [(row: Json, rows: Json[]) => ({ ...row, salt: opened(rows).salt }), /of another one/],
      [(row: Json, rows: Json[]) => ({ ...opened(rows), index: row.index, entry: row.entry }), /of another one/],
      [({ index, entry }: Json) => ({ index, entry }), /not a proof/],
      [({ index, entry }: Json) => ({ index, entry, withheld: 'lost' }), /for no reason/],
      [({ index, entry }: Json) => ({ index, entry, withheld: 'removed', act: '0' }), /is not a moderation action/],
      [({ index, entry }: Json) => ({ index, entry, withheld: 'removed' }), /no act says so/],
      [({ index, entry }: Json) => ({ index, entry, withheld: 'erased' }), /no act says so/],
      [({ index, entry }: Json) => ({ index, entry, withheld: 'erased', act: actAt }), /makes nothing erased any more/],
      // That an entry is private cannot be refuted, but what it opens is then in no entry.
      [({ index, entry }: Json) => ({ index, entry, withheld: 'private' }), /1 rows are in no entry/],
    ] as const) {
      await refused(await forged({ file: 'entries', rows: changed(change) }), problem);
    }
  });

  it('refuse two writes of one request, or of another key, even if the log includes them', async () => {
    const { evidence } = (await read('entries')).find((row) => row.evidence?.includes(ids.post));
    const again = `p_${'0'.repeat(25)}`;
    const posts = (rows: Json[]) => [...rows, { ...rows.find(({ postId }) => postId === ids.post), postId: again }];
    const repeated = await forged(
      { file: 'posts', rows: posts },
      { from: await logged(evidence.replaceAll(ids.post, again)) },
    );
    await refused(repeated, /was made by the request of an earlier one/);
    const written = JSON.parse(evidence);
    const signedText = written.signedText.replace(/^.{22}$/m, freshNonce());
    const signedBy = (agent: TestAgent) => ({
      ...written,
      signedText,
      signature: agent.sign(signedText),
      publicKey: agent.signingPublicKey,
    });
    await refused(await logged(JSON.stringify(signedBy(ada))), /was made twice/);
    await refused(await logged(JSON.stringify(signedBy(bob))), /the key is not that of the agent/);
  });

  /** One with an entry more, which the log has signed. */
  async function logged(evidence: string): Promise<string> {
    const entries = await read('entries');
    const salt = Buffer.alloc(16, 5);
    const entry = writeLeaf(commitmentTo(salt, evidence));
    const added = { index: String(entries.length), entry: String(entry), salt: salt.toString('base64url'), evidence };
    const edge = new TreeEdge(0, []);
    edge.append([...entries.map((row) => leafHash(Buffer.from(row.entry))), leafHash(entry)]);
    const own = new NoteSigner(trust.log.name, Buffer.from(forum.api.services.config.log.signingKey!, 'base64url'));
    const text = checkpointText({ origin: own.name, size: edge.size, root: edge.root() });
    const from = await forged({ file: 'entries', rows: (rows) => [...rows, added] });
    const manifest = (changed: Json) => {
      changed.checkpoint = `${text}\n${own.sign(text)}`;
    };
    return forged({ manifest }, { from });
  }

  it('an export of another log, with another head or without one is refused', async () => {
    const { checkpoint } = JSON.parse(await readFile(join(few, 'manifest.json'), 'utf8'));
    const name = trust.log.name;
    const signed = (signer: NoteSigner, size: number, root = Buffer.alloc(32, 9)) => {
      const text = checkpointText({ origin: signer.name, size, root });
      return `${text}\n${signer.sign(text)}`;
    };
    const own = new NoteSigner(name, Buffer.from(forum.api.services.config.log.signingKey!, 'base64url'));
    const size = Number(checkpoint.split('\n')[1]);
    for (const [note, problem] of [
      [signed(new NoteSigner('elsewhere/log', Buffer.alloc(32, 7)), size), /another log/],
      [signed(new NoteSigner(name, Buffer.alloc(32, 7)), size), /does not verify/],
      [signed(own, size), /not those of the head/],
      [signed(own, size + 1), /not those of the head/],
      [checkpoint.replace(`\n${size}\n`, `\n${size - 1}\n`), /does not verify/],
      ['', /no checkpoint/],
    ] as const) {
      const copy = await forged({
        manifest: (manifest) => {
          manifest.checkpoint = note;
        },
      });
      await refused(copy, problem);
    }
    const [one, two] = ['one', 'two'].map((name) => new NoteSigner(name, randomBytes(32), COSIGNATURE_KEY));
    const text = checkpoint.slice(0, checkpoint.indexOf('\n\n') + 1);
    const cosigned = await forged({
      manifest: (manifest) => {
        manifest.checkpoint += one!.sign(text, 1_700_000_000);
      },
    });
    const witnesses = [one!.verifier, two!.verifier];
    await assert.rejects(verifyExport(cosigned, { ...trust, witnesses }), /1 of the 2 witnesses/);
    assert.equal((await verifyExport(cosigned, { ...trust, witnesses, quorum: 1 })).size, size);
    // A head that was seen before, and that these entries do not continue.
    await writeFile(join(directory, 'log.vkey.head'), signed(own, 5));
    assert.match((await command(folder)).answer.message, /do not continue the head of 5/);
    const continued = async () => {
      const { code, answer } = await command(folder);
      return [code, answer.continues];
    };
    // One beyond the entries nobody can compare them with, which is said.
    await writeFile(join(directory, 'log.vkey.head'), signed(own, 1_000_000));
    assert.deepEqual(await continued(), [EXIT.ok, null]);
    const { checkpoint: whole } = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
    await writeFile(join(directory, 'log.vkey.head'), whole);
    assert.deepEqual(await continued(), [EXIT.ok, Number(whole.split('\n')[1])]);
    await rm(join(directory, 'log.vkey.head'));
    assert.deepEqual(await continued(), [EXIT.ok, null]);
  });

  it('show the keys in the log, and frozen keys', async () => {
    const [eve, dan] = [await forum.agent(), await forum.agent()];
    const changed = eve.withKey();
    assert.equal((await sendRotation(eve, rotation(eve, changed))).status, 200);
    for (const agent of [changed, dan]) assert.equal((await sendFreeze(agent)).status, 200);
    await new Stranger(forum.url).settled((text) => forum.rows(text));
    const from = join(directory, 'keys');
    const { db, config } = forum.api.services;
    await exportForum(db, config, from);
    const { answer } = await command(from);
    assert.deepEqual([answer.valid, answer.laterKeyChanges], [true, 0]);
    const of = (agent: TestAgent, change: (row: Json) => object) =>
      forged(
        {
          file: 'agents',
          rows: (rows) => rows.map((row) => (row.agentId === agent.agentId ? { ...row, ...change(row) } : row)),
        },
        { from },
      );
    const other = { publicKey: dan.signingPublicKey, since: '2026-01-01T00:00:00.000Z' };
    for (const [agent, change] of [
      [eve, ({ keys }: Json) => ({ keys: keys.slice(0, 1), frozenAt: null })],
      [eve, ({ keys }: Json) => ({ keys: [keys[0], other] })],
      [eve, ({ keys }: Json) => ({ keys: keys.toReversed() })],
      [eve, () => ({ keys: undefined })],
      [eve, () => ({ keys: [null, null] })],
      [ada, () => ({ keys: [other] })],
    ] as const)
      await refused(await of(agent, change), /its keys are not those in the log/);
    for (const agent of [eve, dan])
      await refused(await of(agent, () => ({ frozenAt: null })), /its key is frozen by the log/);
    // What came behind the head is in no entry yet.
    for (const [agent, change] of [
      [ada, ({ keys }: Json) => ({ keys: [...keys, other] })],
      [ada, () => ({ frozenAt: other.since })],
      [eve, ({ keys }: Json) => ({ keys: [...keys, other], frozenAt: null })],
    ] as const)
      assert.equal((await verifyExport(await of(agent, change), trust)).laterKeyChanges, 1);
  });

  it('report what a restored database lacks', async () => {
    const { eventId } = (await read('governance')).find(({ kind }) => kind === 'suspend_agent');
    await forum.rows(`BEGIN; SET LOCAL session_replication_role = replica;
      DELETE FROM governance_events WHERE event_id = '${eventId}';
      UPDATE log_leaves SET event_id = NULL WHERE event_id = '${eventId}';
      DELETE FROM agents WHERE agent_id = '${carol.agentId}'; COMMIT`);
    const later = join(directory, 'forgetful');
    const { db, config } = forum.api.services;
    await exportForum(db, config, later);
    const { code, answer } = await command(later);
    assert.equal(code, EXIT.ok, JSON.stringify(answer));
    // Her registration as an agent and as a write, and the moderation action.
    assert.equal(answer.withheld.gone, 3);
  });

  it('a changed list of files is refused, and an existing folder is not overwritten', async () => {
    const manifest = (change: (manifest: Json) => void) => forged({ manifest: change });
    await refused(await manifest((m) => m.files.pop()), /lists/);
    await refused(await manifest((m) => m.files.push(m.files[0])), /lists/);
    await refused(await manifest((m) => m.files.push(null)), /lists/);
    await refused(
      await manifest((m) => {
        m.format = 'svc-export-v2';
      }),
      /not known/,
    );
    const stray = await manifest(() => undefined);
    await writeFile(join(stray, 'more.ndjson'), '');
    await refused(stray, /not among the files/);
    const incomplete = await manifest(() => undefined);
    await rm(join(incomplete, 'replies.ndjson'));
    await refused(incomplete, /replies.ndjson of the manifest is missing/);
    assert.equal((await command(incomplete)).code, EXIT.unproven);
    await refused(directory, /holds no export/);
    const { db, config } = forum.api.services;
    await assert.rejects(exportForum(db, config, folder), /already exists/);
    // Where a program that waits for mkdir would wait for ever.
    if (process.platform === 'linux')
      await assert.rejects(
        exportForum(db, config, '/proc/none'),
        /^StartupError: \/proc\/none cannot be written \(ENOENT\)\.$/,
      );
  });

  it('two exports into one folder at once leave one whole export', async () => {
    const { db, config } = forum.api.services;
    const place = await mkdtemp(join(directory, 'places-'));
    const done = await Promise.allSettled([1, 2, 3].map(() => exportForum(db, config, join(place, 'export'))));
    const failed = done.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []));
    assert.equal(failed.length, 2);
    for (const reason of failed) assert.match(reason, /already exists/);
    assert.deepEqual(await readdir(place), ['export']);
    assert.equal((await command(join(place, 'export'))).code, EXIT.ok);
  });
});
