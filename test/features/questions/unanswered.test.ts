import assert from 'node:assert/strict';
import { answersChanged, unansweredIn } from '../../../src/features/questions/service.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { community } from '../communities/support/envelopes.ts';
import { ask, close, removePost, reply, solve } from './support/scenes.ts';

describe('question.unanswered', () => {
  let forum: TestForum;
  let ada: TestAgent;
  let ben: TestAgent;
  beforeEach(async () => {
    forum = await startForum();
    [ada, ben] = [await forum.agent(), await forum.agent()];
  });
  afterEach(async () => {
    // What is counted is what a count would find, for every open question, after every scenario.
    const wrong = await forum.rows(
      `SELECT post_id FROM questions WHERE state = 'open' AND answer_count <> (SELECT count(*) FROM release.answers(post_id))`,
    );
    await forum.stop();
    assert.deepEqual(wrong, []);
  });

  const list = async (query = '') => (await ada.anonymous('GET', '/v1/questions/unanswered', { query })).body;
  const listed = async () => ((await list()).items as { postId: string }[]).map(({ postId }) => postId);
  const change = (text: string, id: string, by: { replyId: string } | { agentId: string }) =>
    forum.api.services.db.inTransaction(async (db) => {
      await db.query({ name: text, text }, [id]);
      await answersChanged(db, by);
    });
  const remove = (replyId: string, removed: boolean) =>
    change(`UPDATE reply_states SET removed = ${removed} WHERE reply_id = $1`, replyId, { replyId });
  const suspend = ({ agentId }: TestAgent, suspended: boolean) =>
    change(`UPDATE agent_states SET suspended = ${suspended} WHERE agent_id = $1`, agentId, { agentId });

  it('lists open questions oldest first, with text, bounty and the link to reply', async () => {
    assert.deepEqual(await list(), { items: [] });
    const [first, second] = [await ask(ada, 3), await ask(ben)];
    await ada.post('/v1/posts', { title: 'No question', body: 'x' });
    const { items } = await list();
    assert.deepEqual(
      items.map(({ postId }: { postId: string }) => postId),
      [first, second],
    );
    const [{ title, body, question, links }] = items;
    assert.deepEqual([title, body, question.bountyStake], ['How?', 'Nobody knows', 3]);
    assert.equal(links.reply, `/v1/posts/${first}/replies`);
    assert.equal((await ben.post(links.reply, { body: 'Like this' })).status, 201);
    assert.deepEqual(await listed(), [second]);
  });

  it('does not take own clarifications for answers', async () => {
    const postId = await ask(ada);
    await reply(ada, postId);
    assert.deepEqual(await listed(), [postId]);
    await reply(ben, postId);
    await reply(ben, postId);
    assert.deepEqual(await listed(), []);
  });

  it('leaves out resolved and removed questions', async () => {
    const [closed, removed, open] = [await ask(ada), await ask(ada, 1), await ask(ada)];
    await close(ada, closed);
    await removePost(forum, removed);
    assert.deepEqual(await listed(), [open]);
    await solve(ada, open, await reply(ben, open));
    assert.deepEqual(await listed(), []);
  });

  it('can be asked of one community alone', async () => {
    const slug = await community(ada, 'public');
    const [first, second] = [await ask(ada, 1, { communitySlug: slug }), await ask(ada, 1, { communitySlug: slug })];
    await ask(ada, 1);
    const inside = async (limit: number) =>
      (await unansweredIn(forum.api.services.db, slug, limit)).map(({ post_id }) => post_id);
    assert.deepEqual(await inside(1), [first]);
    await close(ada, first);
    assert.deepEqual(await inside(9), [second]);
  });

  it('follows the removal of the only answer, and its return', async () => {
    const postId = await ask(ada);
    const replyId = await reply(ben, postId);
    await remove(replyId, true);
    assert.deepEqual(await listed(), [postId]);
    await remove(replyId, false);
    assert.deepEqual(await listed(), []);
  });

  it('follows the suspension of the answerer, and its end', async () => {
    const [one, two] = [await ask(ada), await ask(ada)];
    await reply(ben, one);
    await reply(ben, two);
    await reply(await forum.agent(), two);
    await suspend(ben, true);
    assert.deepEqual(await listed(), [one]);
    await suspend(ben, false);
    assert.deepEqual(await listed(), []);
  });

  it('keeps the count true while replies are written and removed at the same time', async () => {
    const postId = await ask(ada);
    const replyIds = await Promise.all(Array.from({ length: 6 }, () => reply(ben, postId)));
    await Promise.all([
      ...replyIds.map((replyId) => remove(replyId, true)),
      ...Array.from({ length: 6 }, () => reply(ben, postId)),
      suspend(ada, false),
    ]);
    const [row] = await forum.rows<{ n: number }>('SELECT answer_count AS n FROM questions WHERE post_id = $1', [
      postId,
    ]);
    assert.equal(row!.n, 6);
  });

  it('returns the oldest first, without gaps while questions are added and resolved', async () => {
    const asked: string[] = [];
    for (let n = 0; n < 7; n++) asked.push(await ask(ada));
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await list(`limit=3${cursor}`);
      seen.push(...page.items.map(({ postId }: { postId: string }) => postId));
      cursor = page.nextCursor ? `&cursor=${page.nextCursor}` : '';
      if (seen.length === 3) await close(ada, asked[1]!);
    } while (cursor);
    assert.deepEqual(seen, asked);
    const wrong = await ada.anonymous('GET', '/v1/questions/unanswered', { query: 'limit=21' });
    assert.deepEqual([wrong.status, wrong.body], [400, { error: 'invalid_request', field: 'limit' }]);
  });
});
