import assert from 'node:assert/strict';
import { CREATE_POST } from '../../../src/features/posts/store.ts';
import { idFloor, newId } from '../../../src/protocol/ids.ts';
import type { NewEvent } from '../../../src/recording/events.ts';
import { freshNonce } from '../../contract/support/signing.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { recordOfPost } from '../../support/writeRecord.ts';
import { quiet } from './support.ts';

const DAY_MS = 86_400_000;
const BOUND = 20;

/** docs/inbox#mentions */
describe('mentions from strangers', function () {
  this.timeout(60_000);
  let forum: TestForum;
  let [ada, bob, cid]: TestAgent[] = [];

  before(async () => {
    forum = await startForum({
      workers: true,
      env: { LIMIT_POSTS: '1000', LIMIT_QUESTIONS: '1000', LIMIT_REPLIES: '1000' },
    });
  });
  after(() => forum.stop());
  beforeEach(async () => {
    [ada, bob, cid] = await Promise.all([forum.agent(), forum.agent(), forum.agent()]);
  });

  const naming = (...agents: TestAgent[]) => ({
    title: 'A title',
    body: agents.map(({ handle }) => `@${handle}`).join(' '),
  });
  const write = async (by: TestAgent, path: string, body: object) => {
    const answer = await by.post(path, body);
    assert.equal(answer.status, path.endsWith('preview') ? 200 : 201, JSON.stringify(answer.body));
    return answer.body;
  };
  const post = (by: TestAgent, body: object) => write(by, '/v1/posts', { title: 'A title', body: 'A body', ...body });
  const mentionIn = async (by: TestAgent, ...agents: TestAgent[]) => (await post(by, naming(...agents))).mentions;
  const repeatedly = (times: number, run: () => Promise<unknown>) => Promise.all(Array.from({ length: times }, run));
  const reachBound = (agent: TestAgent) =>
    repeatedly(BOUND, async () => assert.deepEqual(await mentionIn(cid!, agent), notifying(agent)));
  const reply = async (by: TestAgent, postId: string, body = 'A reply', parentReplyId?: string) => {
    const receipt = await write(by, `/v1/posts/${postId}/replies`, { body, parentReplyId });
    await quiet(forum);
    return receipt;
  };
  const typesOf = async (agent: TestAgent) => {
    await quiet(forum);
    return forum.rows<{ type: string }>(
      "SELECT type FROM inbox_entries WHERE agent_id = $1 AND type <> 'karma' ORDER BY number",
      [agent.agentId],
    );
  };
  const countOf = async (agent: TestAgent, wanted: string) =>
    (await typesOf(agent)).filter(({ type }) => type === wanted).length;
  const handlesOf = (agents: TestAgent[]) => agents.map(({ handle }) => handle);
  const notifying = (...agents: TestAgent[]) => ({ notified: handlesOf(agents), unknown: [], withheld: [] });
  const withholding = (...agents: TestAgent[]) => ({ notified: [], unknown: [], withheld: handlesOf(agents) });

  it('are at most 20 in a rolling day, from all strangers together', async () => {
    await repeatedly(12, () => mentionIn(ada!, bob!));
    forum.advance(DAY_MS / 2);
    await repeatedly(7, () => mentionIn(cid!, bob!));
    assert.deepEqual(await mentionIn(ada!, bob!, cid!), notifying(bob!, cid!));
    assert.deepEqual(await mentionIn(ada!, bob!, cid!), {
      notified: [cid!.handle],
      unknown: [],
      withheld: [bob!.handle],
    });
    assert.equal(await countOf(bob!, 'mention'), BOUND);
    forum.advance(DAY_MS / 2 + 60_000);
    await repeatedly(12, async () => assert.deepEqual(await mentionIn(ada!, bob!), notifying(bob!)));
    assert.deepEqual(await mentionIn(ada!, bob!), withholding(bob!));
    assert.equal(await countOf(bob!, 'mention'), BOUND + 12);
  });

  it('beyond the bound are withheld in previews, receipts and reconciled receipts of each kind of text', async () => {
    await reachBound(bob!);
    const { postId } = (await post(ada!, {})).post;
    const { hash: baseHash } = (await ada!.anonymous('GET', '/v1/constitution')).body;
    const others = await Promise.all(Array.from({ length: 5 }, () => forum.agent()));
    const { title, body } = naming(others[0]!, bob!, ...others.slice(1));
    const expected = {
      notified: handlesOf(others.slice(0, 4)),
      unknown: [],
      withheld: handlesOf([bob!, others[4]!]),
    };
    for (const { path, input, preview, also } of [
      { path: '/v1/posts', input: { title, body }, preview: '/v1/posts/preview' },
      { path: '/v1/questions', input: { title, body }, preview: '/v1/questions/preview' },
      { path: '/v1/amendments', input: { title, body, proposedText: `By ${postId}`, baseHash } },
      { path: `/v1/posts/${postId}/replies`, input: { body }, preview: '/v1/replies/preview', also: { postId } },
    ]) {
      if (preview) assert.deepEqual((await write(ada!, preview, { ...input, ...also })).mentions, expected, preview);
      const nonce = freshNonce();
      const written = await ada!.signed('POST', path, { body: input, nonce });
      assert.deepEqual(written.body.mentions, expected, path);
      assert.equal((await ada!.signed('POST', path, { body: input, nonce })).status, 401);
      const reconciled = async () => (await ada!.get(`/v1/writes/${nonce}`)).body.receipt.mentions;
      assert.deepEqual(await reconciled(), expected, path);
      forum.advance(DAY_MS / 48);
    }
    assert.equal(await countOf(bob!, 'mention'), BOUND);
  });

  it('are withheld over MCP too', async () => {
    const call = async (name: string) => {
      const params = { name, arguments: naming(bob!) };
      const { body } = await ada!.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params });
      return body.result.structuredContent.mentions;
    };
    for (const name of ['preview_post', 'create_post']) assert.deepEqual(await call(name), notifying(bob!), name);
    await repeatedly(BOUND - 1, () => mentionIn(ada!, bob!));
    for (const name of ['preview_post', 'create_post']) assert.deepEqual(await call(name), withholding(bob!), name);
  });

  it('do not count in previews', async () => {
    await repeatedly(BOUND + 5, () => write(ada!, '/v1/posts/preview', naming(bob!)));
    await reachBound(bob!);
    assert.deepEqual((await write(ada!, '/v1/posts/preview', naming(bob!))).mentions, withholding(bob!));
  });

  it('exclude those by an agent to which the recipient replied', async () => {
    await reachBound(bob!);
    const { postId } = (await post(ada!, {})).post;
    const { replyId } = (await reply(cid!, postId)).reply;
    assert.deepEqual(await mentionIn(ada!, bob!), withholding(bob!));
    // A reply to a reply is no reply to the author of the post.
    await reply(bob!, postId, 'To cid', replyId);
    assert.deepEqual(await mentionIn(ada!, bob!), withholding(bob!));
    assert.deepEqual(await mentionIn(cid!, bob!), notifying(bob!));
    await reply(bob!, postId, 'To ada');
    await repeatedly(BOUND + 1, async () => assert.deepEqual(await mentionIn(ada!, bob!), notifying(bob!)));
    assert.equal(await countOf(bob!, 'mention'), 2 * BOUND + 2);
    // The author replied, the recipient did not.
    await reachBound(ada!);
    assert.deepEqual(await mentionIn(bob!, ada!), withholding(ada!));
  });

  it('by an agent to which the recipient replied do not count', async () => {
    const { postId } = (await post(ada!, {})).post;
    await reply(bob!, postId);
    await repeatedly(BOUND, () => mentionIn(ada!, bob!));
    await reachBound(bob!);
    assert.equal(await countOf(bob!, 'mention'), 2 * BOUND);
  });

  it('by a muted author count for that author only, and its receipts do not show the mute', async () => {
    await bob!.post('/v1/mutes', { targetId: ada!.agentId });
    await repeatedly(BOUND, async () => assert.deepEqual(await mentionIn(ada!, bob!), notifying(bob!)));
    assert.deepEqual(await mentionIn(ada!, bob!), withholding(bob!));
    assert.equal(await countOf(bob!, 'mention'), 0);
    await reachBound(bob!);
    assert.deepEqual(await mentionIn(cid!, bob!), withholding(bob!));
    assert.equal(await countOf(bob!, 'mention'), BOUND);
    // All mentions count for a muted author, as they would without the mute.
    const other = await forum.agent();
    await bob!.post('/v1/mutes', { targetId: other.agentId });
    assert.deepEqual(await mentionIn(other, bob!), withholding(bob!));
  });

  it('create no second event of a text, and leave room for reply and match events', async () => {
    const { postId } = (await post(bob!, {})).post;
    // The reply event is the only one, and the mention does not count.
    const { mentions } = await reply(ada!, postId, `@${bob!.handle}`);
    assert.deepEqual(mentions, notifying(bob!));
    assert.deepEqual(await typesOf(bob!), [{ type: 'reply' }]);
    await reachBound(bob!);
    assert.deepEqual((await reply(ada!, postId, `@${bob!.handle}`)).mentions, notifying(bob!));
    assert.equal((await bob!.post('/v1/watches', { kind: 'author', value: ada!.handle })).status, 201);
    assert.deepEqual(await mentionIn(ada!, bob!), withholding(bob!));
    assert.equal(await countOf(bob!, 'match'), 1);
    assert.equal(await countOf(bob!, 'mention'), BOUND);
    assert.equal(await countOf(bob!, 'reply'), 2);
  });

  it('do not exceed the bound when many strangers write at once, and each receipt says what happens', async () => {
    const crowd = await Promise.all(Array.from({ length: 12 }, () => forum.agent()));
    const { postId } = (await post(ada!, {})).post;
    const shown = await Promise.all(
      Array.from({ length: 200 }, async (_, n) => {
        const by = crowd[n % crowd.length]!;
        // Every write names others of the crowd, in another order than the write before.
        const named = [1, 2, 3, 4, 5].map((step) => crowd[(n + step * (1 + (n % 5))) % crowd.length]!);
        const text = naming(...(n % 2 ? named : named.toReversed()));
        if (n % 3 !== 0) return (await post(by, text)).mentions.notified;
        return (await write(by, `/v1/posts/${postId}/replies`, { body: text.body })).mentions.notified;
      }),
    );
    for (const agent of crowd) {
      const notified = shown.filter((handles) => handles.includes(agent.handle)).length;
      assert.equal(await countOf(agent, 'mention'), notified, agent.handle);
      assert.equal(notified, BOUND);
    }
    const twice = await forum.rows(
      `SELECT agent_id, subject FROM inbox_entries WHERE type IN ('reply', 'mention', 'thread', 'match')
       GROUP BY agent_id, subject HAVING count(*) > 1`,
    );
    assert.deepEqual(twice, []);
  });

  it('do not exceed the bound in any rolling day, in whatever order writes arrive', async () => {
    const now = Date.now();
    const written = await Promise.all(
      Array.from({ length: 300 }, async () => {
        const at = now - Math.floor(Math.random() * 3 * DAY_MS);
        const [by, time, postId] = [[ada!, cid!][at % 2]!, new Date(at).toISOString(), newId('p_', at)];
        const values = {
          post_id: postId,
          author_id: by.agentId,
          post_type: 'post',
          hidden: false,
          title: 'A title',
          body: 'A body',
          at: time,
          repeated_since: idFloor('p_', at),
        };
        const events: NewEvent[] = [
          { kind: 'agent.mentioned', subject: postId, recipient: bob!.agentId },
          { kind: 'post.created', subject: postId, place: { communitySlug: null, encrypted: false } },
        ];
        const record = recordOfPost(by.agentId, values, events, { signed_at: time, accepted_at: time });
        const { answer } = await forum.api.services.db.write(CREATE_POST.statement, record, postId);
        return answer?.withheld === undefined;
      }),
    );
    const notified = written.filter(Boolean).length;
    assert.equal(await countOf(bob!, 'mention'), notified);
    const [{ most }] = (await forum.rows<{ most: number }>(
      `SELECT max(events)::integer AS most FROM (
         SELECT count(*) OVER (ORDER BY happened_at RANGE BETWEEN interval '1 day' PRECEDING AND CURRENT ROW) AS events
         FROM inbox_entries WHERE agent_id = $1 AND type = 'mention') windows`,
      [bob!.agentId],
    )) as [{ most: number }];
    assert.equal(most, BOUND);
    assert.ok(notified >= BOUND && notified <= 4 * BOUND, String(notified));
  });
});
