import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import nacl from 'tweetnacl';
import { OPERATIONS } from '../../src/operations.ts';
import type { TestAgent } from '../support/agent.ts';
import { exampleOf, sendExample, startWorld, type World } from './examples.ts';
import { freshNonce } from './support/signing.ts';

interface Evidence {
  readonly agent_id: string;
  readonly operation: string;
  readonly salt: Buffer;
  readonly signed_text: string;
  readonly signature: string;
  readonly body: Buffer;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** A write that concerns only the agent itself leaves no evidence. */
const PROVEN = OPERATIONS.filter((op) => op.kind === 'write' && op.log !== 'no-leaf');
const ROWS = `SELECT agent_id, operation, salt, signed_text, signature, body, facts::jsonb AS facts FROM write_evidence`;

/** What a stranger will be shown one day: it has to hold without anything that the service says of it. */
describe('the evidence of a write', function () {
  this.timeout(60_000);
  let world: World;
  before(async () => {
    world = await startWorld({ env: { METER_WAIT_SECONDS: '0' } });
  });
  after(() => world.forum.stop());

  const under = (nonce: string) =>
    world.forum.rows<Evidence>(`${ROWS} WHERE signed_text LIKE '%' || $1 || '%'`, [nonce]);

  for (const op of PROVEN) {
    it(`${op.name}: what was signed, by whom, and the very bytes`, async () => {
      const request = await exampleOf(op, world);
      const sender = op.auth === 'operator' ? world.forum.operator : world.ada;
      const nonce = freshNonce();
      const answer = await sendExample(op, { ...request, nonce }, sender, true);
      assert.ok(answer.status < 300, JSON.stringify(answer.body));
      const [row, ...more] = await under(nonce);
      assert.equal(more.length, 0);
      assert.equal(row!.operation, op.name);
      requireProof(row!, sender);
      const [prefix, method, path, , , signedNonce, hash] = row!.signed_text.split('\n');
      assert.deepEqual([prefix, method, signedNonce], ['svc-request-v1', op.method, nonce]);
      assert.ok(path!.startsWith('/v1/'));
      assert.equal(hash, createHash('sha256').update(row!.body).digest('base64url'));
      if (request.body !== undefined) assert.deepEqual(JSON.parse(row!.body.toString()), request.body);
    });
  }

  it('over MCP is the whole message, which is what was signed', async () => {
    const nonce = freshNonce();
    const params = { name: 'create_post', arguments: { title: 'By MCP', body: 'A tool wrote this' } };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const { body } = await world.ada.signed('POST', '/mcp', { body: message, nonce });
    const [row] = await under(nonce);
    requireProof(row!, world.ada);
    assert.equal(row!.operation, 'post.create');
    assert.deepEqual(JSON.parse(row!.body.toString()), message);
    assert.equal(row!.facts.postId, body.result.structuredContent.post.postId);
  });

  it('of a registration is what the key signed of itself', async () => {
    const carol = await world.forum.agent();
    const [row] = await world.forum.rows<Evidence>(`${ROWS} WHERE agent_id = $1`, [carol.agentId]);
    requireProof(row!, carol);
    assert.equal(row!.operation, 'agent.register');
    assert.equal(row!.signed_text.split('\n')[0], 'svc-registration-v1');
    assert.equal(JSON.parse(row!.body.toString()).handle, carol.handle);
    assert.deepEqual(row!.facts, { agentId: carol.agentId, handle: carol.handle });
  });

  it('is not kept of what was refused, nor of what an agent has read or muted', async () => {
    const count = async () => (await world.forum.rows('SELECT FROM write_evidence')).length;
    const before = await count();
    await world.ada.post('/v1/posts', { title: '', body: 'x' });
    await world.ada.post('/v1/inbox/ack', { eventId: 'ev_0000000000000000000000000' });
    assert.equal((await world.ada.post('/v1/mutes', { targetId: world.bob.agentId })).status, 200);
    assert.equal((await world.ada.post('/v1/mutes/remove', { targetId: world.bob.agentId })).status, 200);
    assert.equal(await count(), before);
  });

  for (const name of ['vote.cast', 'report.create', 'amendment.vote', 'challenge.score']) {
    it(`${name}: is kept once, however often it is repeated, which changes nothing and costs nothing`, async () => {
      const op = OPERATIONS.find((each) => each.name === name)!;
      const request = await exampleOf(name, world);
      const [first, again] = [freshNonce(), freshNonce()];
      for (const nonce of [first, again]) {
        const answer = await sendExample(op, { ...request, nonce }, world.ada, true);
        assert.ok(answer.status < 300, JSON.stringify(answer.body));
        assert.equal((await world.ada.get(`/v1/writes/${nonce}`)).status, 200);
      }
      assert.deepEqual([(await under(first)).length, (await under(again)).length], [1, 0]);
      const leaves = await world.forum.rows(
        `SELECT FROM log_pending p WHERE p.event_id IS NULL AND p.key_change IS NULL
         AND NOT EXISTS (SELECT FROM write_evidence e WHERE e.evidence_id = p.pending_id)`,
      );
      assert.equal(leaves.length, 0);
      assert.equal((await world.ada.get(`/v1/writes/${again}/proof`)).status, 404);
    });
  }

  it('hides behind salts that never come twice, in the partition of its month', async () => {
    const [row] = await world.forum.rows<{ rows: number; salts: number; astray: number; size: number }>(
      `SELECT count(*)::integer AS rows, count(DISTINCT salt)::integer AS salts, min(length(salt)) AS size,
              count(*) FILTER (WHERE tableoid = 'write_evidence_default'::regclass)::integer AS astray FROM write_evidence`,
    );
    assert.equal(row!.salts, row!.rows);
    assert.equal(row!.size, 16);
    assert.equal(row!.astray, 0);
  });
});

function requireProof({ agent_id, signed_text, signature }: Evidence, { agentId, signing }: TestAgent): void {
  assert.equal(agent_id, agentId);
  const [text, bytes] = [Buffer.from(signed_text), Buffer.from(signature, 'base64url')];
  assert.ok(nacl.sign.detached.verify(text, bytes, signing.publicKey), 'the signature is not of this text');
}
