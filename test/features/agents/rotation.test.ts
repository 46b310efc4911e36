import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { type Api, startApi } from '../../../src/api.ts';
import { TestAgent } from '../../support/agent.ts';
import { checkOutput } from '../../support/checkOutput.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { heldBack } from '../../support/heldBack.ts';
import { commitment, rotation, rotationAlone, sendFreeze, sendRotation } from './rotating.ts';
import { NON_CANONICAL_KEYS, SMALL_ORDER_KEYS } from './support.ts';

const POST = { title: 'Words', body: 'b' };

describe('changing the key of an agent', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let second: Api;
  before(async () => {
    forum = await startForum();
    second = await startApi(forum.api.services.config, pino({ level: 'silent' }), { checkOutput });
  });
  after(async () => {
    await second.stop();
    await forum.stop();
  });

  const newcomer = () => new TestAgent(forum.url, () => forum.api.clock.now());
  /** Registered with what commits it to another key. */
  async function committed(): Promise<[TestAgent, TestAgent]> {
    const ada = newcomer();
    const next = ada.withKey();
    const handle = `agent-${randomBytes(6).toString('hex')}`;
    const body = ada.registration(handle, { nextKey: commitment(ada, next) });
    const { status } = await ada.anonymous('POST', '/v1/agents', { body });
    assert.equal(status, 201);
    return [Object.assign(ada, { handle }), next];
  }
  const refused = async (body: object, agent: TestAgent, status: number, error: string, field?: string) => {
    const answer = await sendRotation(agent, body);
    assert.deepEqual([answer.status, answer.body], [status, { error, ...(field ? { field } : {}) }]);
  };
  const statusOf = async (agent: TestAgent) => (await agent.post('/v1/posts', POST)).status;

  it('is signed by both keys, keeps agentId and writes, and changes nothing when repeated', async () => {
    const ada = await forum.agent();
    const [later, latest] = [ada.withKey(), ada.withKey()];
    const { postId } = (await ada.post('/v1/posts', POST)).body.post;
    const { status, body } = await sendRotation(ada, rotation(ada, later));
    const { key, ...rest } = body;
    assert.deepEqual(
      [status, rest, key.publicKey],
      [200, { agentId: ada.agentId, keyNumber: 1 }, later.signingPublicKey],
    );
    forum.advance(5_000);
    assert.deepEqual((await sendRotation(ada, rotation(ada, later))).body, body);
    assert.equal(await statusOf(later), 201);
    assert.equal((await sendRotation(later, rotation(later, latest))).body.keyNumber, 2);
    assert.deepEqual([await statusOf(ada), await statusOf(later), await statusOf(latest)], [401, 401, 201]);
    const card = (await ada.anonymous('GET', `/v1/agents/${ada.handle}`)).body;
    const keys = [ada, later, latest].map(({ signingPublicKey }) => signingPublicKey);
    assert.deepEqual(
      card.keys.map(({ publicKey }: { publicKey: string }) => publicKey),
      keys,
    );
    assert.equal(card.identity.signing_public_key, ada.signingPublicKey);
    const roster = (await ada.anonymous('GET', '/v1/agents', { query: 'limit=100' })).body.items;
    assert.deepEqual(
      roster.find(({ agentId }: { agentId: string }) => agentId === ada.agentId),
      card,
    );
    assert.equal((await ada.anonymous('GET', `/v1/posts/${postId}`)).body.post.author.agentId, ada.agentId);
  });

  it('is seen on a card that was asked for before', async () => {
    const ada = await forum.agent();
    const asked = async () => (await ada.anonymous('GET', `/v1/agents/${ada.handle}`)).body.keys.length;
    assert.deepEqual([await asked(), await asked()], [1, 1]);
    await sendRotation(ada, rotation(ada, ada.withKey()));
    assert.equal(await asked(), 2);
  });

  it('holds in every process at once, for writes, previews and reads', async () => {
    const ada = await forum.agent();
    const everywhere = (agent: TestAgent) => [agent, agent.at(second.url)];
    for (const each of everywhere(ada)) assert.equal((await each.get('/v1/karma')).status, 200);
    let before = ada;
    for (let round = 0; round < 3; round++) {
      const after = before.withKey();
      assert.equal((await sendRotation(before, rotation(before, after))).status, 200);
      const [there, here] = [everywhere(before).toReversed(), everywhere(after).toReversed()];
      const stale = await Promise.all(
        there.flatMap((each) => [
          each.get('/v1/karma'),
          each.post('/v1/posts', POST),
          each.post('/v1/posts/preview', POST),
          each.post('/v1/posts', { title: '' }),
          each.post('/v1/posts/p_0000000000000000000000000/replies', { body: 'b' }),
        ]),
      );
      assert.deepEqual([...new Set(stale.map(({ status }) => status))], [401], String(round));
      const declined = await there[0]!.get('/v1/posts', 'limit=1');
      assert.deepEqual([declined.status, declined.headers.get('x-svc-auth')], [200, 'declined']);
      for (const each of here) assert.equal((await each.get('/v1/karma')).status, 200);
      for (const each of here) assert.equal(await statusOf(each), 201);
      before = after;
    }
    // What was refused gave its charge back.
    const { posts } = (await before.get('/v1/greeting')).body.rateLimits.counters;
    assert.equal(posts.limit - posts.remaining, 6);
  });

  it('an agent with a frozen key can rotate to its committed next key only', async () => {
    const [ada, next] = await committed();
    const after = ada.withKey();
    await refused(rotationAlone(ada, next), ada, 400, 'invalid_request', 'currentKeySignature');
    assert.equal((await sendFreeze(ada)).status, 200);
    assert.equal(await statusOf(ada), 403);
    const thief = ada.withKey();
    await refused(rotation(ada, thief), ada, 409, 'conflict', 'newKey');
    await refused(rotationAlone(ada, thief), ada, 409, 'conflict', 'newKey');
    const alone = rotationAlone(ada, next, commitment(next, after));
    const { status, body } = await sendRotation(ada, alone);
    assert.equal(status, 200);
    assert.deepEqual((await sendRotation(ada, alone)).body, body);
    assert.deepEqual([await statusOf(ada), await statusOf(next)], [401, 201]);
    // The former key freezes nothing any more; the present one does, and the one after it brings the agent back.
    const stale = await sendFreeze(ada);
    assert.deepEqual([stale.status, stale.body], [400, { error: 'invalid_request', field: 'signature' }]);
    assert.equal(await statusOf(next), 201);
    const { frozenAt } = (await sendFreeze(next)).body;
    assert.ok(frozenAt > body.key.since);
    assert.equal(await statusOf(next), 403);
    assert.equal((await sendRotation(next, rotationAlone(next, after))).status, 200);
    assert.equal(await statusOf(after), 201);
    assert.equal((await after.get(`/v1/agents/${ada.handle}`)).body.frozenAt, null);
    await sendFreeze(after);
    await refused(rotation(after, after.withKey()), after, 409, 'conflict', 'newKey');
  });

  it('the new key must be the one that the previous key committed to', async () => {
    const [ada, next] = await committed();
    await refused(rotation(ada, ada.withKey()), ada, 409, 'conflict', 'newKey');
    assert.equal((await sendRotation(ada, rotation(ada, next))).status, 200);
    // The new one committed to nothing.
    assert.equal((await sendRotation(next, rotation(next, ada.withKey()))).status, 200);
  });

  it('is refused by name for what does not hold', async () => {
    const [ada, bob] = [await forum.agent(), await forum.agent()];
    const [next, other] = [ada.withKey(), ada.withKey()];
    const good = rotation(ada, next, commitment(next, other));
    const { nextKey } = good;
    for (const newKey of [...SMALL_ORDER_KEYS, ...NON_CANONICAL_KEYS].map((each) =>
      Buffer.from(each).toString('base64url'),
    ))
      await refused({ ...good, newKey }, ada, 400, 'invalid_request', 'newKey');
    for (const [change, field] of [
      [{ newKeySignature: other.sign('x') }, 'newKeySignature'],
      [{ newKeySignature: rotation(bob, next).newKeySignature }, 'newKeySignature'],
      [{ newKeySignature: `${good.newKeySignature.slice(0, -1)}B` }, 'newKeySignature'],
      [{ nextKey: undefined }, 'newKeySignature'],
      [{ nextKey: { ...nextKey, hash: commitment(next, bob).hash } }, 'newKeySignature'],
      [{ nextKey: { ...nextKey, signature: ada.sign('x') } }, 'nextKey.signature'],
      [{ currentKeySignature: good.newKeySignature }, 'currentKeySignature'],
      [{ currentKeySignature: undefined }, 'currentKeySignature'],
      [{ newKey: undefined }, 'newKey'],
      [{ more: 1 }, 'more'],
    ] as const)
      await refused({ ...good, ...change }, ada, 400, 'invalid_request', field);
    const own = rotation(ada, next, commitment(next, next));
    await refused(own, ada, 400, 'invalid_request', 'nextKey.hash');
    await refused(rotation(ada, ada), ada, 409, 'conflict', 'newKey');
    const nobody = new TestAgent(forum.url);
    await refused(rotation(nobody, next), nobody, 404, 'not_found');
    assert.equal(await statusOf(ada), 201);
  });

  it('refuses a commitment of a registration that does not hold', async () => {
    const ada = newcomer();
    const good = commitment(ada, ada.withKey());
    for (const [nextKey, field] of [
      [{ ...good, signature: ada.sign('x') }, 'nextKey.signature'],
      [{ ...good, hash: `${good.hash.slice(0, -1)}_` }, 'nextKey.hash'],
      [commitment(ada, ada), 'nextKey.hash'],
      [{ hash: good.hash }, 'nextKey.signature'],
    ] as const) {
      const answer = await ada.anonymous('POST', '/v1/agents', { body: ada.registration('ada-next', { nextKey }) });
      assert.deepEqual([answer.status, answer.body], [400, { error: 'invalid_request', field }]);
    }
  });

  it('gives no key to two agents, nor one twice to the same', async () => {
    const [ada, bob] = [await forum.agent(), await forum.agent()];
    const shared = newcomer();
    const asAda = Object.assign(shared.withKey(), { agentId: ada.agentId, signing: shared.signing });
    await refused(
      rotation(ada, Object.assign(ada.withKey(), { signing: bob.signing })),
      ada,
      409,
      'conflict',
      'newKey',
    );
    assert.equal((await sendRotation(ada, rotation(ada, asAda))).status, 200);
    const taken = await shared.anonymous('POST', '/v1/agents', { body: shared.registration('shared-key') });
    assert.deepEqual([taken.status, taken.body], [409, { error: 'conflict', field: 'identity.signing_public_key' }]);
    await refused(
      rotation(bob, Object.assign(bob.withKey(), { signing: shared.signing })),
      bob,
      409,
      'conflict',
      'newKey',
    );
    await refused(rotation(asAda, ada), asAda, 409, 'conflict', 'newKey');
    // At the same moment too.
    for (let n = 0; n < 8; n++) {
      const key = newcomer();
      const agent = await forum.agent();
      const [registered, rotated] = await Promise.all([
        key.anonymous('POST', '/v1/agents', { body: key.registration(`key-of-two-${n}`) }),
        sendRotation(agent.at(second.url), rotation(agent, Object.assign(agent.withKey(), { signing: key.signing }))),
      ]);
      assert.equal(
        [registered, rotated].filter(({ status }) => status < 300).length,
        1,
        `${registered.status} ${rotated.status}`,
      );
    }
  });

  it('happens once for concurrent requests', async () => {
    for (let n = 0; n < 6; n++) {
      const ada = await forum.agent();
      const others = [ada.withKey(), ada.withKey()];
      const answers = await Promise.all([
        sendRotation(ada, rotation(ada, others[0]!)),
        sendRotation(ada.at(second.url), rotation(ada, others[1]!)),
      ]);
      const statuses = answers.map(({ status }) => status);
      const winner = statuses.indexOf(200);
      assert.ok(winner >= 0 && [400, 409].includes(statuses[1 - winner]!), String(statuses));
      assert.deepEqual([await statusOf(others[winner]!), await statusOf(others[1 - winner]!)], [201, 401]);
      const same = rotation(others[winner]!, ada.withKey());
      const again = await Promise.all([sendRotation(ada, same), sendRotation(ada.at(second.url), same)]);
      assert.deepEqual(
        again.map(({ status }) => status),
        [200, 200],
      );
      assert.deepEqual(again[0]!.body, again[1]!.body);
    }
  });

  it('a rotation and a freeze at the same time run one after the other', async () => {
    for (let n = 0; n < 8; n++) {
      const [ada, next] = await committed();
      const [frozen, rotated] = await Promise.all([
        sendFreeze(ada),
        sendRotation(ada.at(second.url), rotation(ada, next)),
      ]);
      const outcome = `${frozen.status} ${rotated.status}`;
      assert.ok(['200 200', '200 409', '400 200'].includes(outcome), outcome);
      if (rotated.status !== 200) assert.equal((await sendRotation(ada, rotationAlone(ada, next))).status, 200);
      assert.deepEqual([await statusOf(ada), await statusOf(next)], [401, 201], outcome);
    }
  });

  it('is frozen by no signature of a key that was replaced while it waited', async () => {
    const [ada, next] = await committed();
    const held = { text: 'SELECT FROM agent_states WHERE agent_id = $1 FOR UPDATE', values: [ada.agentId] };
    const acts = [() => sendRotation(ada, rotation(ada, next)), () => sendFreeze(ada)];
    const answers = await heldBack(forum, held, acts);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 400],
    );
    assert.equal(await statusOf(next), 201);
  });

  it('is limited in a day, for each stays in the log', async () => {
    let ada = await forum.agent();
    for (let n = 0; n < 10; n++) {
      const next = ada.withKey();
      assert.equal((await sendRotation(ada, rotation(ada, next))).status, 200);
      ada = next;
    }
    const { status, body, headers } = await sendRotation(ada, rotation(ada, ada.withKey()));
    assert.deepEqual([status, body], [429, { error: 'rate_limited' }]);
    assert.ok(Number(headers.get('retry-after')) > 86_000);
    assert.equal(await statusOf(ada), 201);
  });

  describe('on a server that took over without the last change', () => {
    /** The state of a server without the change. */
    async function lose({ agentId }: TestAgent): Promise<void> {
      await forum.rows('DELETE FROM agent_keys WHERE agent_id = $1', [agentId]);
      await forum.rows('UPDATE agent_states SET key_epoch = 0, next_key = NULL, frozen_at = NULL WHERE agent_id = $1', [
        agentId,
      ]);
      await forum.rows('UPDATE registration_counter SET last_key_change = last_key_change - 1');
      await forum.rows(`DELETE FROM log_pending WHERE key_change::json ->> 'agentId' = $1`, [agentId]);
    }
    const statuses = async (agent: TestAgent) => [
      await statusOf(agent),
      (await agent.post('/v1/posts/preview', POST)).status,
      (await agent.post('/v1/posts', { title: '' })).status,
      (await agent.get('/v1/karma')).status,
      (await agent.get('/v1/karma')).status,
    ];

    it('the lost key returns 401, and the key that takes its number authenticates', async () => {
      const ada = await forum.agent();
      const [lost, later] = [ada.withKey(), ada.withKey()];
      assert.equal((await sendRotation(ada, rotation(ada, lost))).status, 200);
      assert.deepEqual(await statuses(lost), [201, 200, 400, 200, 200]);
      await lose(ada);
      assert.equal((await sendRotation(ada, rotation(ada, later))).body.keyNumber, 1);
      assert.deepEqual(await statuses(lost), [401, 401, 401, 401, 401]);
      assert.deepEqual(await statuses(later), [201, 200, 400, 200, 200]);
      assert.deepEqual(await statuses(lost), [401, 401, 401, 401, 401]);
    });

    it('a key replaced by a change with the same number no longer reads', async () => {
      const [ada, bob] = await Promise.all([forum.agent(), forum.agent()]);
      assert.equal((await bob.get('/v1/karma')).status, 200);
      const [lost, later] = [ada.withKey(), bob.withKey()];
      assert.equal((await sendRotation(ada, rotation(ada, lost))).status, 200);
      assert.equal((await bob.get('/v1/karma')).status, 200);
      await lose(ada);
      assert.equal((await sendRotation(bob, rotation(bob, later))).status, 200);
      assert.equal((await bob.get('/v1/karma')).status, 401);
      assert.equal((await later.get('/v1/karma')).status, 200);
    });

    it('a card shows the current key after the lost change was replaced or repeated', async () => {
      const ada = await forum.agent();
      const [lost, later] = [ada.withKey(), ada.withKey()];
      const shown = async () => (await ada.anonymous('GET', `/v1/agents/${ada.handle}`)).body.keys.at(-1);
      assert.equal((await sendRotation(ada, rotation(ada, lost))).status, 200);
      const before = [await shown(), await shown(), await shown()];
      assert.equal(before[2].publicKey, lost.signingPublicKey);
      for (const next of [later, lost]) {
        await lose(ada);
        forum.advance(5_000);
        const { key } = (await sendRotation(ada, rotation(ada, next))).body;
        for (let n = 0; n < 2; n++) assert.deepEqual(await shown(), key);
      }
    });
  });
});
