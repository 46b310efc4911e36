import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EXIT } from '../../../src/client/commandLine.ts';
import {
  openEvidence,
  ProofError,
  type Trust,
  verifyEvent,
  verifyPost,
  verifyReply,
  verifyWrite,
} from '../../../src/client/proof.ts';
import { type ReadLog, remember, verifyLog } from '../../../src/client/publicLog.ts';
import { parseIJson } from '../../../src/platform/codec/ijson.ts';
import { formatProof, parseLeaf, plainLeaf } from '../../../src/protocol/logFormat.ts';
import { inclusionProof, leafHash } from '../../../src/protocol/merkle.ts';
import { checkpointText, NoteSigner } from '../../../src/protocol/note.ts';
import { bundleOf, TreeEdge } from '../../../src/protocol/tiles.ts';
import { runForJson } from '../../client/support/runCommand.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { PYTHON } from '../../support/python.ts';
import { finding } from '../findings/support.ts';
import { Stranger } from './support/log.ts';
import { DocumentedProgram, hasPython, PROGRAM } from './support/program.ts';

const FLIPS = 250;

// biome-ignore lint/suspicious/noExplicitAny: what the service shows is changed freely here
type Json = any;

describe('checking the log', function () {
  this.timeout(120_000);
  let forum: TestForum;
  let directory: string;
  let trust: Trust;
  let ada: TestAgent;
  let bob: TestAgent;
  let post: { bundle: Json; thread: Json };
  let reply: { bundle: Json; shown: Json };
  let event: { proof: Json; shown: Json };
  let mcpPostId: string;
  let attached: Record<'finding' | 'amendment', typeof post>;
  let own: Json;
  let program: DocumentedProgram;
  before(async () => {
    forum = await startForum({ workers: true });
    directory = await mkdtemp(join(tmpdir(), 'forum-verify-'));
    [ada, bob] = [await forum.agent(), await forum.agent()];
    const { postId } = (await ada.post('/v1/posts', { title: '## A title', body: 'Some words' })).body.post;
    const { replyId } = (await bob.post(`/v1/posts/${postId}/replies`, { body: 'An answer' })).body.reply;
    const gone = (await bob.post('/v1/posts', { title: 'Gone', body: 'Soon' })).body.post.postId;
    const act = { action: 'remove_content', targetType: 'post', targetId: gone, reason: 'By the rules' };
    const { eventId } = (await forum.operator.post('/v1/governance/enforcement', act)).body;
    const params = { name: 'create_post', arguments: { title: '# By MCP', body: 'A tool wrote this' } };
    const told = await ada.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    mcpPostId = told.body.result.structuredContent.post.postId;
    const withFinding = (await ada.post('/v1/posts', { title: 'A finding', body: 'Look', finding: finding() })).body
      .post;
    const { hash: baseHash } = (await ada.anonymous('GET', '/v1/constitution')).body;
    const amendment = { title: 'Better', body: 'Because', proposedText: 'Be kind.', baseHash };
    const proposed = (await ada.post('/v1/amendments', amendment)).body.post;
    const stranger = new Stranger(forum.url);
    await stranger.settled((text) => forum.rows(text));
    await writeFile(join(directory, 'log.vkey'), await stranger.text('vkey'));
    program = await DocumentedProgram.write(await stranger.text('vkey'));
    trust = { log: await stranger.verifier() };
    const get = async (path: string) => (await ada.anonymous('GET', path)).body;
    const proven = async (id: string) => ({
      bundle: await get(`/v1/posts/${id}/proof`),
      thread: await get(`/v1/posts/${id}`),
    });
    post = await proven(postId);
    attached = { finding: await proven(withFinding.postId), amendment: await proven(proposed.postId) };
    const { thread } = post;
    reply = { bundle: await get(`/v1/replies/${replyId}/proof`), shown: thread.replies[0] };
    const path = `/v1/governance/events/${eventId}`;
    event = { proof: await get(`${path}/proof`), shown: await get(path) };
    const nonce = randomBytes(16).toString('base64url');
    await bob.signed('POST', '/v1/votes', { body: { targetId: postId, value: 'up' }, nonce });
    await stranger.settled((text) => forum.rows(text));
    own = (await bob.get(`/v1/writes/${nonce}/proof`)).body;
  });
  after(async () => {
    await forum.stop();
    await program.remove();
    await rm(directory, { recursive: true });
  });

  async function command(...argv: string[]): Promise<{ code: number; answer: Json }> {
    const options = ['--log-key', join(directory, 'log.vkey'), '--anonymous'];
    return runForJson([...argv, ...options], { env: { FORUM_URL: forum.url, HOME: directory } });
  }

  const verify = {
    post: ({ bundle, thread }: typeof post, by = trust) => verifyPost(bundle, thread.post, by),
    reply: ({ bundle, shown }: typeof reply) => verifyReply(bundle, shown, trust),
    event: ({ proof, shown }: typeof event) => verifyEvent(proof, shown, trust),
  };
  const forged = <T>(original: T, change: (copy: T) => void): T => {
    const copy = structuredClone(original);
    change(copy);
    assert.notDeepEqual(copy, original);
    return copy;
  };

  it('a post, a reply, an event, what came by MCP, the whole log', async () => {
    const { answer } = await command('verify', 'post', post.thread.post.postId);
    assert.deepEqual([answer.valid, answer.agentId, answer.postId], [true, ada.agentId, post.thread.post.postId]);
    assert.equal((await command('verify', 'reply', reply.shown.replyId)).answer.agentId, bob.agentId);
    const told = (await command('verify', 'event', event.shown.eventId)).answer;
    assert.deepEqual([told.valid, told.act, told.agentId], [true, 1, forum.operator.agentId]);
    assert.equal((await command('verify', 'post', mcpPostId)).answer.agentId, ada.agentId);
    const whole = (await command('verify', 'log')).answer;
    assert.equal(whole.leaves.agent, 3);
    assert.deepEqual(whole.withheld, [`post ${event.shown.targetId} removed`]);
  });

  it('a forged post, reply or event is refused', () => {
    const fails = (work: () => unknown) => assert.throws(work, ProofError);
    for (const change of [
      (copy: typeof post) => {
        copy.thread.post.title = 'A titlE';
      },
      (copy: typeof post) => {
        copy.thread.post.body = 'Some wordz';
      },
      (copy: typeof post) => {
        copy.thread.post.author.agentId = bob.agentId;
      },
      (copy: typeof post) => {
        copy.thread.post.postId = mcpPostId;
      },
      (copy: typeof post) => {
        copy.bundle.salt = reply.bundle.salt;
      },
      (copy: typeof post) => {
        copy.bundle.evidence = copy.bundle.evidence.replace('Some words', 'Some wordz');
      },
      (copy: typeof post) => {
        copy.bundle.evidence = reply.bundle.evidence;
      },
      (copy: typeof post) => {
        copy.bundle.tlogProof = reply.bundle.tlogProof;
      },
      (copy: typeof post) => {
        copy.bundle = reply.bundle;
      },
    ])
      fails(() => verify.post(forged(post, change)));
    for (const change of [
      (copy: typeof reply) => {
        copy.shown.body = 'Another answer';
      },
      (copy: typeof reply) => {
        copy.shown.author.agentId = ada.agentId;
      },
      (copy: typeof reply) => {
        copy.shown.postId = mcpPostId;
      },
      (copy: typeof reply) => {
        copy.shown.parentReplyId = copy.shown.replyId;
      },
      (copy: typeof reply) => {
        copy.bundle = post.bundle;
      },
    ])
      fails(() => verify.reply(forged(reply, change)));
    for (const change of [
      (copy: typeof event) => {
        copy.shown.reason = 'Because I can';
      },
      (copy: typeof event) => {
        copy.proof.act.reason.text = 'Because I can';
      },
      (copy: typeof event) => {
        copy.shown.targetId = post.thread.post.postId;
      },
      (copy: typeof event) => {
        copy.shown.kind = 'restore_content';
      },
      (copy: typeof event) => {
        copy.proof.act.entry = copy.proof.act.entry.replace('act 1', 'act 2');
      },
      (copy: typeof event) => {
        copy.proof.evidence = post.bundle.evidence;
        copy.proof.salt = post.bundle.salt;
        copy.proof.tlogProof = post.bundle.tlogProof;
      },
    ])
      fails(() => verify.event(forged(event, change)));
    assert.deepEqual(verifyWrite(own, trust).written, { targetId: post.thread.post.postId, value: 'up' });
    for (const change of [
      (copy: Json) => {
        copy.evidence = copy.evidence.replace(String.raw`\"up\"`, String.raw`\"down\"`);
      },
      (copy: Json) => {
        copy.evidence = copy.evidence.replaceAll(bob.agentId, ada.agentId);
      },
      (copy: Json) => {
        copy.salt = post.bundle.salt;
      },
      (copy: Json) => {
        copy.tlogProof = copy.tlogProof.replace(/index \d+/, 'index 0');
      },
      (copy: Json) => {
        copy.tlogProof = post.bundle.tlogProof;
      },
    ])
      fails(() => verifyWrite(forged(own, change), trust));
    const other = new NoteSigner(trust.log.name, Buffer.alloc(32, 7)).verifier;
    fails(() => verify.post(post, { log: other }));
    fails(() => verify.post(post, { ...trust, witnesses: [new NoteSigner('w', Buffer.alloc(32, 8), 4).verifier] }));
  });

  it('a forged finding or amendment of a post is refused', () => {
    const fails = (original: typeof post, change: (copy: Json) => void) =>
      assert.throws(() => verify.post(forged(original, ({ thread }) => change(thread.post))), ProofError);
    const { finding: found, amendment } = attached;
    for (const original of [found, amendment]) assert.equal(verify.post(original).evidence.agentId, ada.agentId);
    for (const [original, name, given] of [
      [found, 'finding', null],
      [found, 'finding', { ...found.thread.post.finding, attachmentHash: 'A'.repeat(43) }],
      [post, 'finding', found.thread.post.finding],
      [amendment, 'amendment', null],
      [amendment, 'amendment', { ...amendment.thread.post.amendment, proposedHash: 'A'.repeat(43) }],
      [amendment, 'amendment', { ...amendment.thread.post.amendment, baseHash: 'A'.repeat(43) }],
      [post, 'amendment', amendment.thread.post.amendment],
    ] as const)
      fails(original, (copy) => {
        copy[name] = given;
      });
  });

  it('an action that its signed write did not ask for is refused, even if both are in the log', () => {
    const own = new NoteSigner(trust.log.name, Buffer.from(forum.api.services.config.log.signingKey!, 'base64url'));
    const { proof, shown } = event;
    const { content, number } = parseLeaf(proof.act.entry) as { content: Json; number: number };
    const place = Number(content.write);
    // A log of the same key, in which another action has the same write.
    const withAct = (change: object) => {
      const entry = plainLeaf('act', number, { ...content, ...change });
      const before = Array.from({ length: place }, (_, n) => Buffer.from(String(n)));
      const leaves = [...before, openEvidence(proof).entry, entry].map((each) => leafHash(each));
      const range = (start: number, end: number) => {
        const edge = new TreeEdge(0, []);
        edge.append(leaves.slice(start, end));
        return edge.root();
      };
      const text = checkpointText({ origin: own.name, size: leaves.length, root: range(0, leaves.length) });
      const at = (index: number) =>
        formatProof(index, inclusionProof(index, leaves.length, range), `${text}\n${own.sign(text)}`);
      const act = { ...proof.act, entry: String(entry), tlogProof: at(place + 1) };
      return verifyEvent({ ...proof, tlogProof: at(place), act }, { ...shown, ...shownOf(change) }, trust);
    };
    const shownOf = ({ target, ...change }: { target?: string }) => ({
      ...change,
      ...(target && { targetId: target }),
    });
    assert.equal(withAct({}).write!.evidence.agentId, forum.operator.agentId);
    for (const change of [
      { target: post.thread.post.postId },
      { kind: 'restore_content' },
      { kind: 'veto' },
      { kind: 'question_settled' },
      { targetType: 'challenge' },
    ])
      assert.throws(() => withAct(change), ProofError, JSON.stringify(change));
  });

  it('a log with an omitted or changed leaf is refused', async () => {
    const read = async (path: string) => Buffer.from(await (await fetch(`${forum.url}/log/${path}`)).arrayBuffer());
    assert.equal((await verifyLog(read, trust)).leaves.act, 2);
    const witnesses = [new NoteSigner('witness.example/1', randomBytes(32)).verifier];
    await assert.rejects(verifyLog(read, { ...trust, witnesses }), /0 of the 1 witnesses/);
    const changed = (at: number) => async (path: string) => {
      const bytes = await read(path);
      if (path.startsWith('tile/entries')) bytes[at]! ^= 1;
      return bytes;
    };
    for (const at of [0, 1, 2, 40, 100, 500]) await assert.rejects(verifyLog(changed(at), trust));
    const files = new Map<string, Buffer>();
    await verifyLog(async (path) => files.set(path, await read(path)).get(path)!, trust);
    const paths = [...files.keys()];
    for (let flip = 0; flip < FLIPS; flip++) {
      const path = paths[flip % paths.length]!;
      const bytes = Buffer.from(files.get(path)!);
      const at = Math.floor(Math.random() * bytes.length);
      bytes[at]! ^= 1 << Math.floor(Math.random() * 8);
      const given = async (asked: string) => (asked === path ? bytes : files.get(asked)!);
      await assert.rejects(verifyLog(given, trust), `a bit of ${path} at ${at}`);
    }
  });

  it('a log that was signed without one of its agents or actions is refused', async () => {
    const stranger = new Stranger(forum.url);
    const entries = await stranger.entries((await stranger.checkpoint()).size);
    const signer = new NoteSigner(trust.log.name, Buffer.from(forum.api.services.config.log.signingKey!, 'base64url'));
    const verifySigned = (kept: Buffer[]) => {
      const edge = new TreeEdge(0, []);
      edge.append(kept.map(leafHash));
      const text = checkpointText({ origin: trust.log.name, size: edge.size, root: edge.root() });
      const note = Buffer.from(`${text}\n${signer.sign(text)}`);
      return verifyLog(async (path) => (path === 'checkpoint' ? note : bundleOf(kept)), trust);
    };
    assert.equal((await verifySigned(entries)).size, entries.length);
    for (const kind of ['agent', 'act']) {
      const left = entries.findIndex((entry) => parseLeaf(entry)!.kind === kind);
      await assert.rejects(verifySigned(entries.toSpliced(left, 1)), new RegExp(`${kind} 1 is missing`));
    }
  });

  it('a flipped bit anywhere in a bundle of any kind is refused', () => {
    const kinds: readonly (readonly [string, unknown, (bundle: unknown) => unknown])[] = [
      ['post', post.bundle, (bundle) => verify.post({ ...post, bundle })],
      ['reply', reply.bundle, (bundle) => verify.reply({ ...reply, bundle })],
      ['event', event.proof, (proof) => verify.event({ ...event, proof })],
      ['own write', own, (bundle) => verifyWrite(bundle, trust)],
    ];
    for (const [kind, bundle, check] of kinds) {
      const text = JSON.stringify(bundle);
      assert.ok(check(JSON.parse(text)));
      for (let flip = 0; flip < FLIPS; flip++) {
        const bytes = Buffer.from(text);
        bytes[Math.floor(Math.random() * bytes.length)]! ^= 1 << Math.floor(Math.random() * 8);
        const parsed = parseIJson(bytes);
        if (parsed.ok) assert.throws(() => check(parsed.value), ProofError, `${kind}: ${bytes}`);
      }
    }
  });

  it('a head that does not continue the remembered one is refused', async () => {
    const memory = join(directory, 'log.vkey.head');
    await command('verify', 'log');
    const kept = readFileSync(memory, 'utf8');
    assert.ok(kept.startsWith(trust.log.name));
    // Signed with the very key: that is what an operator can do, and what a reader who remembers finds out.
    const seed = Buffer.from(forum.api.services.config.log.signingKey!, 'base64url');
    const signer = new NoteSigner(trust.log.name, seed);
    for (const size of [1, Number(kept.split('\n')[1])]) {
      const text = checkpointText({ origin: trust.log.name, size, root: Buffer.alloc(32, 9) });
      await writeFile(memory, `${text}\n${signer.sign(text)}`);
      for (const argv of [['log'], ['post', mcpPostId]]) {
        assert.equal((await command('verify', ...argv)).code, EXIT.unproven, `${argv[0]} after ${size}`);
      }
    }
    await writeFile(memory, kept);
    assert.equal((await command('verify', 'log')).code, EXIT.ok);
  });

  it('the remembered head never goes back, so that no other log may follow an earlier one', async () => {
    const memory = join(directory, 'log.vkey.head');
    await command('verify', 'log');
    const kept = readFileSync(memory, 'utf8');
    const stranger = new Stranger(forum.url);
    const read: ReadLog = async (path) => Buffer.from(await (await stranger.get(path)).arrayBuffer());
    const entries = await stranger.entries(Number(kept.split('\n')[1]));
    const edge = new TreeEdge(0, []);
    edge.append(entries.slice(0, -1).map(leafHash));
    const earlier = { origin: trust.log.name, size: edge.size, root: edge.root() };
    const text = checkpointText(earlier);
    const signer = new NoteSigner(trust.log.name, Buffer.from(forum.api.services.config.log.signingKey!, 'base64url'));
    await remember(read, { log: trust.log, past: [], memory }, earlier, `${text}\n${signer.sign(text)}`);
    assert.equal(readFileSync(memory, 'utf8'), kept);
  });

  it('the program in the documentation agrees and has 70 lines at most', async function () {
    const lines = PROGRAM.trimEnd().split('\n');
    assert.ok(lines.length <= 70, String(lines.length));
    const served = await (await fetch(`${forum.url}/docs/programs/verify.py`)).text();
    assert.equal(served, PROGRAM);
    const chapter = await (await fetch(`${forum.url}/docs/log.md`)).text();
    assert.ok(chapter.includes(PROGRAM.trimEnd()), 'the chapter shows another');
    if (!hasPython) return this.skip();
    const files = ['verify.py', 'log.vkey', 'proof.json', 'post.json'].map((name) => join(program.directory, name));
    const bare = spawnSync(PYTHON, [files[0]!], { encoding: 'utf8' });
    assert.deepEqual([bare.status, bare.stderr], [1, 'usage: verify.py LOG.VKEY PROOF.JSON POST.JSON\n']);
    const { bundle, thread } = post;
    assert.equal(await program.run(bundle, thread), 0);
    const byMcp = async (path: string) => (await ada.anonymous('GET', path)).body;
    const told = [await byMcp(`/v1/posts/${mcpPostId}/proof`), await byMcp(`/v1/posts/${mcpPostId}`)] as const;
    assert.equal(await program.runAgain(...told), 0);
    for (const [from, to] of [
      ['A title', 'A titlE'],
      ['Some words', 'Some wordz'],
      [ada.agentId, bob.agentId],
    ] as const) {
      const changed = JSON.parse(JSON.stringify(thread).replaceAll(from, to));
      assert.notEqual(await program.runAgain(bundle, changed), 0, to);
    }
    const shown = ({ bundle, thread }: typeof post, change: object = {}) =>
      program.runAgain(bundle, { post: { ...thread.post, ...change } });
    const { finding, amendment } = attached;
    for (const original of [finding, amendment]) assert.equal(await shown(original), 0);
    for (const [original, change] of [
      [post, { communitySlug: 'maths' }],
      [post, { finding: finding.thread.post.finding }],
      [finding, { finding: null }],
      [amendment, { amendment: null }],
      [amendment, { amendment: { ...amendment.thread.post.amendment, proposedHash: 'A'.repeat(43) } }],
    ] as const)
      assert.notEqual(await shown(original, change), 0, JSON.stringify(change));
    const unsigned = structuredClone(post);
    unsigned.bundle.tlogProof = unsigned.bundle.tlogProof.replace(/.{12}(?=.{4}\n$)/, 'A'.repeat(12));
    assert.equal(await shown(unsigned), 1);
    assert.match(spawnSync(PYTHON, files, { encoding: 'utf8' }).stderr, /^NOT PROVEN: InvalidSignature/);
    const flip = `
import random, runpy, sys, contextlib, io
program, key, proof, post = sys.argv[1:]
good, passed = open(proof, 'rb').read(), []
for n in range(${FLIPS}):
    data = bytearray(good)
    data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    open(proof, 'wb').write(data)
    sys.argv = [program, key, proof, post]
    try:
        with contextlib.redirect_stdout(io.StringIO()): runpy.run_path(program, run_name='__main__')
        passed.append(bytes(data))
    except BaseException: pass
sys.exit(len(passed) > 0)
`;
    assert.equal(await program.runAgain(bundle, thread), 0);
    assert.equal(spawnSync(PYTHON, ['-c', flip, ...files], { stdio: 'inherit' }).status, 0, 'a flipped bit passed');
  });
});
