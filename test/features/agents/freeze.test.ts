import assert from 'node:assert/strict';
import { generateKeys, signFreeze } from '../../../src/client/keys.ts';
import { canonicalJson } from '../../../src/protocol/canonicalJson.ts';
import { type Leaf, parseLeaf } from '../../../src/protocol/logFormat.ts';
import { freshNonce } from '../../contract/support/signing.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { Stranger } from '../log/support/log.ts';

describe('freezing the key of an agent', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let stranger: Stranger;
  before(async () => {
    forum = await startForum({ workers: true });
    stranger = new Stranger(forum.url);
  });
  after(() => forum.stop());

  const signatureOf = (agent: TestAgent) => agent.sign(`svc-freeze-v1\n${agent.agentId}`);
  const send = (agent: TestAgent, signature: string) =>
    agent.anonymous('POST', `/v1/agents/${agent.agentId}/freeze`, { body: { signature } });

  it('needs only its signature, sent by any caller, and happens once', async () => {
    const [ada, bob] = [await forum.agent(), await forum.agent()];
    const { postId } = (await ada.post('/v1/posts', { title: 'Before', body: 'b' })).body.post;
    const { status, body } = await send(ada, signatureOf(ada));
    assert.equal(status, 200);
    assert.equal(body.agentId, ada.agentId);
    forum.advance(5_000);
    assert.deepEqual((await send(ada, signatureOf(ada))).body, body);
    for (const [path, input] of [
      ['/v1/posts', { title: 'After', body: 'b' }],
      ['/v1/posts/preview', { title: 'After', body: 'b' }],
      ['/v1/votes', { targetId: postId, value: 'up' }],
      ['/v1/posts', { title: '', body: 'b' }],
    ] as const) {
      const refused = await ada.post(path, input);
      assert.deepEqual([refused.status, refused.body.error], [403, 'forbidden'], path);
    }
    assert.equal((await ada.get('/v1/inbox')).status, 200);
    assert.equal((await ada.get('/v1/greeting')).body.agent.frozenAt, body.frozenAt);
    assert.equal((await bob.get(`/v1/posts/${postId}`)).status, 200);
    assert.equal((await bob.post('/v1/posts', { title: 'Mine', body: 'b' })).status, 201);
  });

  it('shows on the card at once, also where the card was cached, and on the page', async () => {
    const ada = await forum.agent();
    const card = `/v1/agents/${ada.handle}`;
    const before = await ada.anonymous('GET', card);
    assert.equal(before.body.frozenAt, null);
    assert.equal((await ada.anonymous('GET', card)).body.frozenAt, null);
    const { frozenAt } = (await send(ada, signatureOf(ada))).body;
    assert.equal((await ada.anonymous('GET', card)).body.frozenAt, frozenAt);
    assert.equal((await ada.anonymous('GET', `${card}/dossier`)).body.agent.frozenAt, frozenAt);
    assert.match(await (await fetch(`${forum.url}/a/${ada.handle}`)).text(), /key frozen/);
  });

  it('accepts no other signature, and not the signature of another agent', async () => {
    const [ada, bob] = [await forum.agent(), await forum.agent()];
    const others = generateKeys();
    for (const signature of [
      bobSigned(bob, ada),
      ada.sign(`svc-freeze-v1\n${ada.agentId}\n`),
      ada.sign(`svc-freeze-v1\n${bob.agentId}`),
      signFreeze(others),
      'A'.repeat(86),
    ]) {
      const { status, body } = await send(ada, signature);
      assert.deepEqual([status, body], [400, { error: 'invalid_request', field: 'signature' }]);
    }
    assert.equal((await ada.post('/v1/posts', { title: 'Still', body: 'b' })).status, 201);
    const nobody = await ada.anonymous('POST', '/v1/agents/ag1-AAAAAAAAAAAAAAAAAAAAAA/freeze', {
      body: { signature: signatureOf(ada) },
    });
    assert.equal(nobody.status, 404);
  });
  const bobSigned = (bob: TestAgent, ada: TestAgent) => bob.sign(`svc-freeze-v1\n${ada.agentId}`);

  it('is in the log after every accepted write of the agent, also with concurrent writes', async () => {
    const ada = await forum.agent();
    const nonces = Array.from({ length: 12 }, freshNonce);
    const writes = nonces.map((nonce) =>
      ada.signed('POST', '/v1/posts', { body: { title: 'Racing', body: 'b' }, nonce }),
    );
    const frozen = send(ada, signatureOf(ada));
    const [statuses] = [(await Promise.all(writes)).map(({ status }) => status), await frozen];
    assert.ok(statuses.every((status) => status === 201 || status === 403));
    const { size } = await stranger.settled((text) => forum.rows(text));
    const entries = await stranger.entries(size);
    const at = entries.findIndex((entry) => {
      const leaf = parseLeaf(entry);
      return leaf?.kind === 'key' && leaf.content.agentId === ada.agentId;
    });
    const { content } = parseLeaf(entries[at]!) as Exclude<Leaf, { kind: 'write' }>;
    const signedText = `svc-freeze-v1\n${ada.agentId}`;
    const { publicKey, ...rest } = content;
    const signature = signatureOf(ada);
    assert.equal(canonicalJson(rest), canonicalJson({ agentId: ada.agentId, change: 'freeze', signature, signedText }));
    assert.ok(publicKey);
    const last = await forum.rows<{ index: number }>(
      `SELECT max(l.leaf_index)::integer AS index FROM log_leaves l JOIN write_evidence e ON e.evidence_id = l.evidence_id
       WHERE e.agent_id = $1 AND e.operation = 'post.create'`,
      [ada.agentId],
    );
    assert.ok((last[0]!.index ?? -1) < at, `${last[0]!.index} after ${at}`);
  });
});
