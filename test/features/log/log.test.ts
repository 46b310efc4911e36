import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import nacl from 'tweetnacl';
import { verifyStoredLog } from '../../../src/features/log/verify.ts';
import { type Leaf, openProof, parseLeaf } from '../../../src/protocol/logFormat.ts';
import { leafHash } from '../../../src/protocol/merkle.ts';
import { TreeEdge } from '../../../src/protocol/tiles.ts';
import { freshNonce } from '../../contract/support/signing.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { Stranger } from './support/log.ts';

const sha256 = (...parts: (string | Buffer)[]) =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest('base64url');
const commitment = (salt: string, text: string) =>
  sha256('svc-log-commitment-v1\n', Buffer.from(salt, 'base64url'), text);

interface AgentContent {
  readonly agentId: string;
  readonly handle: string;
  readonly signedText: string;
  readonly signature: string;
  readonly keys: { readonly signing: string };
}

describe('the log', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let stranger: Stranger;
  let ada: TestAgent;
  let bob: TestAgent;
  before(async () => {
    forum = await startForum({ workers: true });
    stranger = new Stranger(forum.url);
    [ada, bob] = [await forum.agent(), await forum.agent()];
  });
  after(() => forum.stop());

  const settled = () => stranger.settled((text) => forum.rows(text));
  const write = async (agent: TestAgent, title = 'A title'): Promise<string> =>
    (await agent.post('/v1/posts', { title, body: 'Some words' })).body.post.postId;

  /** Opens a bundle as a reader that has only the bundle and the key of the log. */
  async function openBundle({ salt, evidence, tlogProof }: Record<string, string>) {
    const leaf = Buffer.from(`svc-log-v1\nwrite\n${commitment(salt!, evidence!)}\n`);
    const { index } = openProof(tlogProof!, leaf, await stranger.verifier());
    const { signedText, signature, publicKey, body, agentId, ...rest } = JSON.parse(evidence!);
    const [text, bytes, key] = [signedText, signature, publicKey].map((each, n) =>
      Buffer.from(each, n === 0 ? 'utf8' : 'base64url'),
    );
    assert.ok(nacl.sign.detached.verify(text!, bytes!, key!));
    assert.equal(agentId, `ag1-${createHash('sha256').update(key!).digest().subarray(0, 16).toString('base64url')}`);
    assert.equal(signedText.split('\n')[6], sha256(body));
    return { index, agentId, body: JSON.parse(body), ...rest };
  }

  it('has 61 bytes of every write, and says nothing by them', async () => {
    const postId = await write(ada);
    await bob.post('/v1/votes', { targetId: postId, value: 'up' });
    const { size } = await settled();
    const entries = await stranger.entries(size);
    assert.equal(entries.length, size);
    const writes = entries.filter((entry) => parseLeaf(entry)!.kind === 'write');
    const [{ rows }] = (await forum.rows<{ rows: number }>('SELECT count(*)::integer AS rows FROM write_evidence')) as [
      never,
    ];
    assert.equal(writes.length, rows);
    for (const entry of writes) assert.equal(entry.length, 61);
    assert.equal(new Set(writes.map(String)).size, writes.length);
  });

  it('serves tiles with the hashes of its entries, at every width that they had', async () => {
    for (let n = 0; n < 5; n++) await write(ada);
    const { size, root } = await settled();
    const entries = await stranger.entries(size);
    const edge = new TreeEdge(0, []);
    edge.append(entries.map(leafHash));
    assert.deepEqual(edge.root(), root);
    for (let width = 1; width <= size; width++) {
      assert.deepEqual(await stranger.tile(0, 0, width), Buffer.concat(entries.slice(0, width).map(leafHash)));
      assert.deepEqual(await stranger.entries(width), entries.slice(0, width));
    }
    const tile = await stranger.get(`tile/0/000.p/${size}`);
    assert.equal(tile.headers.get('content-type'), 'application/octet-stream');
    assert.match(tile.headers.get('cache-control')!, /immutable/);
    for (const path of [`tile/0/000.p/${size + 1}`, 'tile/0/000', 'tile/1/000.p/1', 'tile/0/001.p/1', 'tile/0', 'x']) {
      assert.equal((await stranger.get(path)).status, 404, path);
    }
    const checkpoint = await stranger.get('checkpoint');
    assert.equal(checkpoint.headers.get('content-type'), 'text/plain; charset=utf-8');
    assert.equal(checkpoint.headers.get('cache-control'), 'public, max-age=1');
    assert.equal(await stranger.text('vkey'), `${(await stranger.text('vkey')).trim()}\n`);
    assert.equal((await fetch(`${forum.url}/log/tile/0/000`, { method: 'POST' })).status, 405);
  });

  it('proves the author of a post and a reply to any reader', async () => {
    const postId = await write(ada, '# Stripped');
    const { replyId } = (await bob.post(`/v1/posts/${postId}/replies`, { body: 'An answer' })).body.reply;
    await settled();
    const post = await openBundle((await bob.anonymous('GET', `/v1/posts/${postId}/proof`)).body);
    assert.equal(post.agentId, ada.agentId);
    assert.deepEqual(post.body, { title: '# Stripped', body: 'Some words' });
    assert.deepEqual(post.facts, { postId });
    const reply = await openBundle((await ada.get(`/v1/replies/${replyId}/proof`)).body);
    assert.equal(reply.agentId, bob.agentId);
    assert.deepEqual(reply.facts, { postId, replyId });
  });

  it('returns 202 for a write that it does not include yet', async () => {
    const holder = await forum.database.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM log_head FOR UPDATE');
    const nonce = freshNonce();
    const { body } = await ada.signed('POST', '/v1/posts', { body: { title: 'New', body: 'Words' }, nonce });
    const path = `/v1/posts/${body.post.postId}/proof`;
    for (const answer of [await bob.anonymous('GET', path), await ada.get(`/v1/writes/${nonce}/proof`)]) {
      assert.deepEqual([answer.status, answer.body], [202, { state: 'pending' }]);
      assert.equal(answer.headers.get('retry-after'), '1');
    }
    await holder.query('ROLLBACK');
    holder.release();
    await settled();
    assert.equal((await bob.anonymous('GET', path)).status, 200);
  });

  it('proves an own private write to its writer alone', async () => {
    const postId = await write(ada);
    const nonce = freshNonce();
    await bob.signed('POST', '/v1/votes', { body: { targetId: postId, value: 'up' }, nonce });
    await settled();
    const proven = await openBundle((await bob.get(`/v1/writes/${nonce}/proof`)).body);
    assert.equal(proven.operation, 'vote.cast');
    assert.deepEqual(proven.body, { targetId: postId, value: 'up' });
    assert.equal((await ada.get(`/v1/writes/${nonce}/proof`)).status, 404);
    assert.equal((await ada.anonymous('GET', `/v1/writes/${nonce}/proof`)).status, 401);
    const opened = (await ada.anonymous('GET', `/v1/log/entries/${proven.index}`)).body;
    assert.deepEqual([opened.withheld, 'salt' in opened, 'evidence' in opened], ['private', false, false]);
    openProof(opened.tlogProof, Buffer.from(opened.entry), await stranger.verifier());
  });

  it('hides removed content and includes the removal', async () => {
    const postId = await write(ada);
    await settled();
    const { index } = await openBundle((await bob.anonymous('GET', `/v1/posts/${postId}/proof`)).body);
    const open = async () => (await bob.anonymous('GET', `/v1/log/entries/${index}`)).body;
    assert.equal((await openBundle(await open())).index, index);
    const act = { targetType: 'post', targetId: postId, reason: 'Because' };
    const event = (await forum.operator.post('/v1/governance/enforcement', { action: 'remove_content', ...act })).body;
    await settled();
    assert.equal((await bob.anonymous('GET', `/v1/posts/${postId}/proof`)).status, 404);
    const closed = await open();
    assert.equal(closed.withheld, 'removed');
    assert.equal('evidence' in closed, false);
    const proof = (await bob.anonymous('GET', `/v1/governance/events/${event.eventId}/proof`)).body;
    const write1 = await openBundle(proof);
    assert.equal(write1.agentId, forum.operator.agentId);
    assert.equal(write1.body.reason, 'Because');
    const { content } = parseLeaf(proof.act.entry) as Exclude<Leaf, { kind: 'write' }>;
    const proven = openProof(proof.act.tlogProof, Buffer.from(proof.act.entry), await stranger.verifier());
    assert.equal(String(proven.index), closed.act);
    const { reason, ...rest } = content;
    assert.deepEqual(reason, { commitment: commitment(proof.act.reason.salt, 'Because') });
    assert.deepEqual(rest, {
      actor: 'operator',
      before: rest.before,
      eventId: event.eventId,
      kind: 'remove_content',
      target: postId,
      targetType: 'post',
      write: write1.index,
    });
    await forum.operator.post('/v1/governance/enforcement', { action: 'restore_content', ...act });
    assert.equal((await openBundle(await open())).index, index);
  });

  it('a moderation action does not reveal which report it answers', async () => {
    const target = { targetType: 'post', targetId: await write(ada) };
    const { reportId } = (await bob.post('/v1/reports', { ...target, category: 'spam' })).body;
    const act = { action: 'remove_content', ...target, reportId, reason: 'Because' };
    const { eventId } = (await forum.operator.post('/v1/governance/enforcement', act)).body;
    await settled();
    const proof = (await bob.anonymous('GET', `/v1/governance/events/${eventId}/proof`)).body;
    assert.deepEqual([proof.salt, proof.evidence, proof.tlogProof], [null, null, null]);
    const { content } = parseLeaf(proof.act.entry) as Exclude<Leaf, { kind: 'write' }>;
    assert.equal(typeof content.write, 'number');
    const entry = (await bob.anonymous('GET', `/v1/log/entries/${content.write}`)).body;
    assert.equal(entry.withheld, 'private');
    assert.ok(reportId && !JSON.stringify([proof, entry]).includes(reportId));
  });

  it('numbers agents and actions without a gap, each action with the hash of the one before', async () => {
    const { size } = await settled();
    const entries = await stranger.entries(size);
    const leaves = entries.map((entry) => parseLeaf(entry)!);
    const numbers = (kind: string) =>
      leaves.flatMap((leaf) => (leaf.kind === kind && 'number' in leaf ? [leaf.number] : []));
    for (const kind of ['agent', 'act']) {
      assert.deepEqual(
        numbers(kind),
        Array.from({ length: numbers(kind).length }, (_, n) => n + 1),
      );
      assert.ok(numbers(kind).length > 1);
    }
    let before: string | null = null;
    for (const [n, leaf] of leaves.entries()) {
      if (leaf.kind !== 'act') continue;
      assert.equal(leaf.content.before, before);
      before = leafHash(entries[n]!).toString('base64url');
    }
    const agents = leaves.flatMap((leaf) => (leaf.kind === 'agent' ? [leaf.content as unknown as AgentContent] : []));
    const { handle, signedText, signature, keys } = agents.find(({ agentId }) => agentId === ada.agentId)!;
    assert.equal(handle, ada.handle);
    const bytes = (text: string) => Buffer.from(text, 'base64url');
    assert.ok(nacl.sign.detached.verify(Buffer.from(signedText), bytes(signature), bytes(keys.signing)));
  });

  it('shows a stranger only that an entry of an encrypted community exists or was removed', async () => {
    const slug = `c-${freshNonce()
      .slice(0, 8)
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, '0')}`;
    await ada.post('/v1/communities', { slug, displayName: 'Hidden', description: '', visibility: 'encrypted' });
    const { size } = await settled();
    const last = (await ada.anonymous('GET', `/v1/log/entries/${size - 1}`)).body;
    assert.deepEqual(Object.keys(last).toSorted(), ['entry', 'index', 'tlogProof', 'withheld']);
    assert.equal(last.withheld, 'private');
    assert.equal((await ada.anonymous('GET', `/v1/log/entries/${size}`)).status, 404);
    const act = { action: 'remove_content', targetType: 'community', targetId: slug, reason: 'Because' };
    const { eventId } = (await forum.operator.post('/v1/governance/enforcement', act)).body;
    await settled();
    const proof = (await ada.anonymous('GET', `/v1/governance/events/${eventId}/proof`)).body;
    assert.deepEqual([proof.salt, proof.evidence, proof.tlogProof], [null, null, null]);
    const { content } = parseLeaf(proof.act.entry) as Exclude<Leaf, { kind: 'write' }>;
    assert.equal((await ada.anonymous('GET', `/v1/log/entries/${content.write}`)).body.withheld, 'private');
  });

  /** A challenge of ada's that bob has answered, and how everybody sees his entry. */
  async function answeredChallenge() {
    const at = (seconds: number) => new Date(forum.api.clock.now() + seconds * 1_000).toISOString();
    const rules = [{ when: { assert: 'equals', path: 'sum', value: 4 }, outcome: 'right' }];
    const { challengeId } = (
      await ada.post('/v1/challenges', {
        prompt: 'Two and two?',
        checkerProgram: { expectedOutcome: 'right', defaultOutcome: 'wrong', rules },
        outcomes: ['right', 'wrong'],
        award: 1,
        stakingOpensAt: at(60),
        scoringAt: at(120),
      })
    ).body;
    forum.advance(61_000);
    const nonce = freshNonce();
    await bob.signed('POST', `/v1/challenges/${challengeId}/submissions`, { body: { answer: { sum: 4 } }, nonce });
    await settled();
    const { index } = await openBundle((await bob.get(`/v1/writes/${nonce}/proof`)).body);
    const open = async () => (await ada.anonymous('GET', `/v1/log/entries/${index}`)).body;
    assert.equal((await open()).withheld, 'private');
    return { challengeId, open };
  }

  it('opens an answer to a challenge once that is scored', async () => {
    const { challengeId, open } = await answeredChallenge();
    forum.advance(61_000);
    await ada.post(`/v1/challenges/${challengeId}/scoring`, {});
    assert.deepEqual((await openBundle(await open())).body, { answer: { sum: 4 } });
  });

  it('never opens an answer to a challenge that was void before anybody scored it', async () => {
    const { challengeId, open } = await answeredChallenge();
    const act = { targetType: 'challenge', targetId: challengeId, reason: 'By mistake' };
    for (const action of ['remove_content', 'restore_content']) {
      await forum.operator.post('/v1/governance/enforcement', { action, ...act });
      assert.deepEqual(Object.keys(await open()).toSorted(), ['entry', 'index', 'tlogProof', 'withheld']);
    }
    assert.equal((await ada.anonymous('GET', `/v1/challenges/${challengeId}`)).body.state, 'void');
  });

  it('agrees with the evidence according to npm run verify, unless either was changed', async () => {
    await settled();
    const check = () => forum.api.services.db.inTransaction(verifyStoredLog, { snapshot: true });
    assert.deepEqual(await check(), []);
    const change = async (there: string, back: string, problem: RegExp) => {
      await forum.rows(there);
      assert.match((await check()).join(), problem, there);
      await forum.rows(back);
    };
    const first = '(SELECT min(evidence_id) FROM write_evidence)';
    const flip = `UPDATE write_evidence SET salt = set_byte(salt, 0, 255 - get_byte(salt, 0)) WHERE evidence_id = ${first}`;
    await change(flip, flip, /is not that of its evidence/);
    const tile =
      'UPDATE log_tiles SET bytes = set_byte(bytes, 20, 255 - get_byte(bytes, 20)) WHERE level = -1 AND tile_index = 0';
    await change(tile, tile, /not those of the published head/);
    const served = tile.replace('level = -1', 'level = 0');
    await change(served, served, /^the tile 0\/0 is missing, or not that of the entries$/);
    const move = (from: string, to: string) => `UPDATE log_leaves SET evidence_id = ${to} WHERE evidence_id = ${from}`;
    await change(move(first, '0'), move('0', first), /1 accepted writes have no place/);
    assert.deepEqual(await check(), []);
  });
});
