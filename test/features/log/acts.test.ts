import assert from 'node:assert/strict';
import { verifyActs } from '../../../src/client/acts.ts';
import { ForumClient } from '../../../src/client/client.ts';
import { ProofError, type Trust } from '../../../src/client/proof.ts';
import { LATER, problemOfWithheld, type ReadLog, verifyLog } from '../../../src/client/publicLog.ts';
import { verifyStoredLog } from '../../../src/features/log/verify.ts';
import { plainLeaf } from '../../../src/protocol/logFormat.ts';
import { leafHash } from '../../../src/protocol/merkle.ts';
import { checkpointText, NoteSigner } from '../../../src/protocol/note.ts';
import { bundleOf, TreeEdge } from '../../../src/protocol/tiles.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { community, sealForMembers } from '../communities/support/envelopes.ts';
import { accepted, act } from '../governance/moderation/support/scenes.ts';
import { Stranger } from './support/log.ts';

describe('replayed moderation actions', function () {
  this.timeout(120_000);
  let forum: TestForum;
  let client: ForumClient;
  let trust: Trust;
  let read: ReadLog;
  let ada: TestAgent;
  /** One of each kind: visible, removed, and removed and restored. */
  let posts: Record<'kept' | 'gone' | 'back', string>;
  before(async () => {
    forum = await startForum({ workers: true });
    ada = await forum.agent();
    const write = async (more: object = {}): Promise<string> =>
      accepted(await ada.post('/v1/posts', { title: 'T', body: 'B', ...more })).post.postId;
    posts = { kept: await write(), gone: await write(), back: await write() };
    const { replyId } = accepted(await ada.post(`/v1/posts/${posts.back}/replies`, { body: 'R' })).reply;
    const secret = await community(ada, 'encrypted');
    const hidden = await write({ communitySlug: secret, body: await sealForMembers(ada, secret) });
    const slug = await community(ada, 'public');
    await write({ communitySlug: slug });
    const erased = await write();
    for (const id of [posts.gone, hidden, posts.back]) await act(forum, 'remove_content', 'post', id);
    await act(forum, 'remove_content', 'reply', replyId);
    await act(forum, 'restore_content', 'post', posts.back);
    await act(forum, 'remove_content', 'community', slug);
    await act(forum, 'erase_content', 'post', erased);
    await act(forum, 'suspend_agent', 'agent', ada.agentId);
    const stranger = new Stranger(forum.url);
    await stranger.settled((text) => forum.rows(text));
    trust = { log: await stranger.verifier() };
    client = new ForumClient({ baseUrl: forum.url });
    read = (path) => client.readBytes(`/log/${path}`);
  });
  after(() => forum.stop());

  const check = () => forum.api.services.db.inTransaction(verifyStoredLog, { snapshot: true });

  /** What a stranger finds. */
  const outside = () =>
    verifyActs(client, read, trust).then(
      () => '',
      (error: Error) => {
        assert.ok(error instanceof ProofError, String(error));
        return error.message;
      },
    );

  it('show the withheld content, for the service and for a stranger', async () => {
    assert.deepEqual(await check(), []);
    const { log, openings } = await verifyActs(client, read, trust);
    assert.equal(log.acts.size, 8);
    const names = log.withheld.names();
    assert.ok(names.includes(`post ${posts.gone} removed`));
    assert.ok(!names.some((name) => name.includes(posts.back)));
    assert.equal(names.filter((name) => name.startsWith('post hidden:')).length, 1);
    assert.equal(names.filter((name) => name.endsWith(' erased')).length, 1);
    // The post, the reply, the community with its posts, and the erased one.
    assert.equal(openings.withheld, 5);
    assert.ok(openings.shown > 3 && openings.private > 1 && openings.lost === 0);
  });

  it('show content that was removed without an action, or is shown in spite of one', async () => {
    const set = (id: string, removed: boolean) =>
      forum.rows('UPDATE post_states SET removed = $2 WHERE post_id = $1', [id, removed]);
    // The last was removed once, and restored by the last action.
    await Promise.all([set(posts.kept, true), set(posts.gone, false), set(posts.back, true)]);
    const inside = await check();
    // All at once, because a stranger looks again after 5 s.
    const found = await outside();
    await Promise.all([set(posts.kept, false), set(posts.gone, true), set(posts.back, false)]);
    const expected = [posts.kept, posts.back].map((id) => `the post ${id} is removed, but no act in the log says so`);
    expected.push(`the acts in the log say that the post ${posts.gone} is removed, but it is not`);
    assert.deepEqual(inside.toSorted(), expected.toSorted());
    assert.match(found, new RegExp(`the post ${posts.gone} is shown, and by the moderation actions it is removed`));
    // One for each of the two posts.
    assert.equal(found.match(/is removed, and no act says so/g)?.length, 2, found);
    assert.deepEqual(await check(), []);
  });

  it('find an event that was forged, or is gone with what it did', async () => {
    const [forge, mend] = ['Another one', 'It had to be'].map(
      (reason) => `UPDATE governance_events SET reason = '${reason}' WHERE target_id = $1`,
    ) as [string, string];
    await forum.rows(forge, [posts.gone]);
    assert.match((await check()).join(), /the event of moderation action 1 was changed/);
    await forum.rows(mend, [posts.gone]);
    await forum.rows('UPDATE post_states SET removed = false WHERE post_id = $1', [posts.gone]);
    await forum.rows(`CREATE TABLE kept AS SELECT * FROM governance_events WHERE target_id = '${posts.gone}'`);
    await forum.rows('DELETE FROM governance_events WHERE target_id = $1', [posts.gone]);
    assert.match((await check()).join(), new RegExp(`the acts in the log say that the post ${posts.gone} is removed`));
    await forum.rows('INSERT INTO governance_events SELECT * FROM kept');
    await forum.rows('UPDATE post_states SET removed = true WHERE post_id = $1', [posts.gone]);
    const pending = 'DELETE FROM log_pending WHERE event_id IN (SELECT event_id FROM kept)';
    await forum.rows(pending);
  });

  it('are reported if omitted or forged, also in a signed log', async () => {
    const signer = new NoteSigner('log.example/acts', Buffer.alloc(32, 5));
    const content = (target: string, before: Buffer | null, kind = 'remove_content') => ({
      actor: 'operator',
      before: before?.toString('base64url') ?? null,
      kind,
      target,
      targetType: 'post',
    });
    const first = plainLeaf('act', 1, content('p_1', null));
    const second = plainLeaf('act', 2, content('p_2', leafHash(first)));
    const third = plainLeaf('act', 3, content('p_2', leafHash(second), 'restore_content'));
    const signed = (entries: readonly Buffer[]): ReadLog => {
      const edge = new TreeEdge(0, []);
      edge.append(entries.map(leafHash));
      const text = checkpointText({ origin: signer.name, size: entries.length, root: edge.root() });
      return async (path) => (path === 'checkpoint' ? Buffer.from(`${text}\n${signer.sign(text)}`) : bundleOf(entries));
    };
    const by = { log: signer.verifier };
    const log = await verifyLog(signed([first, second, third]), by);
    assert.deepEqual(log.withheld.names(), ['post p_1 removed']);
    assert.equal(problemOfWithheld('removed', '0', log), null);
    assert.equal(problemOfWithheld('removed', '3', log), LATER);
    for (const [condition, acts] of [
      // What was restored since, what is removed and no more, and what is no place at all.
      ['removed', ['1', '2', undefined, '-1', '0.5', 'x']],
      ['erased', ['0', '1', undefined]],
    ] as const)
      for (const each of acts) assert.equal(typeof problemOfWithheld(condition, each, log), 'string', `${each}`);
    const fourth = plainLeaf('act', 4, content('p_2', leafHash(third), 'erase_content'));
    const fifth = plainLeaf('act', 5, { ...content('p_3', leafHash(fourth), 'veto'), targetType: 'challenge' });
    const more = await verifyLog(signed([first, second, third, fourth, fifth]), by);
    for (const [condition, each] of [
      ['erased', '3'],
      ['removed', '3'],
      ['removed', '4'],
    ] as const)
      assert.equal(problemOfWithheld(condition, each, more), null);
    const forged = plainLeaf('act', 2, content('p_3', leafHash(first)));
    for (const entries of [
      [first, third],
      [second, third],
      [first, second, plainLeaf('act', 4, content('p_2', leafHash(second)))],
      [first, forged, third],
      [first, plainLeaf('act', 2, content('p_2', leafHash(second))), third],
    ]) {
      await assert.rejects(verifyLog(signed(entries), by), ProofError);
    }
  });
});
