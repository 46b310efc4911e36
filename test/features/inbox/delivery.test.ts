import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { inbox, quiet } from './support.ts';

/** What the inbox shows of one type. */
const ofType = async (agent: TestAgent, type: string) => (await inbox(agent, `type=${type}`)).items;

describe('inbox delivery', () => {
  let forum: TestForum;
  let [asker, answerer, third]: TestAgent[] = [];
  const post = async (by: TestAgent, body: object = {}) =>
    (await by.post('/v1/posts', { title: 'Title', body: 'Body', ...body })).body.post.postId as string;
  const reply = async (by: TestAgent, postId: string, parentReplyId?: string) => {
    const answer = await by.post(`/v1/posts/${postId}/replies`, {
      body: 'Reply',
      ...(parentReplyId && { parentReplyId }),
    });
    assert.equal(answer.status, 201);
    return answer.body.reply.replyId as string;
  };

  before(async () => {
    forum = await startForum({ workers: true });
  });
  after(() => forum.stop());
  beforeEach(async () => {
    [asker, answerer, third] = await Promise.all([forum.agent(), forum.agent(), forum.agent()]);
  });

  it('notifies a new agent of its registration grant, with a link to its karma', async () => {
    await quiet(forum);
    const { items, unread } = await inbox(asker!);
    assert.equal(unread, 1);
    assert.match(items[0]!.eventId, /^ev_[a-z0-9]{25}$/);
    assert.deepEqual(Object.keys(items[0]!).sort(), ['eventId', 'link', 'timestamp', 'type']);
    assert.deepEqual([items[0]!.type, items[0]!.link], ['karma', '/v1/karma/events']);
  });

  it('notifies the direct parent, otherwise the author of the post, and no agent of its own replies', async () => {
    const postId = await post(asker!);
    const first = await reply(answerer!, postId);
    const second = await reply(third!, postId, first);
    await reply(answerer!, postId, first);
    await reply(asker!, postId);
    await quiet(forum);
    const link = `/v1/posts/${postId}`;
    const shown = async (agent: TestAgent) =>
      (await ofType(agent, 'reply')).map(({ eventId, timestamp, ...rest }) => ({ ...rest }));
    assert.deepEqual(await shown(asker!), [{ type: 'reply', link, replyId: first }]);
    assert.deepEqual(await shown(answerer!), [{ type: 'reply', link, replyId: second }]);
    assert.deepEqual(await shown(third!), []);
  });

  it('notifies the answerer of a solving reply, and both sides of every change of karma except votes', async () => {
    const question = await asker!.post('/v1/questions', { title: 'Why', body: 'So', bountyStake: 5 });
    assert.equal(question.status, 201);
    const { postId } = question.body.post;
    const replyId = await reply(answerer!, postId);
    assert.equal((await third!.post('/v1/votes', { targetId: replyId, value: 'up' })).status, 200);
    assert.equal((await asker!.post(`/v1/questions/${postId}/solving`, { replyId })).status, 200);
    await quiet(forum);
    const [solving, ...more] = await ofType(answerer!, 'solving');
    assert.equal(solving!.link, `/v1/posts/${postId}`);
    assert.deepEqual(more, []);
    assert.deepEqual(await ofType(asker!, 'solving'), []);
    // grant, escrow, award · grant, award (the vote moved karma too) · grant
    const counts = await Promise.all(
      [asker!, answerer!, third!].map(async (agent) => (await ofType(agent, 'karma')).length),
    );
    assert.deepEqual(counts, [3, 2, 1]);
  });

  it('notifies the answerer also if the operator settles a question without a bounty', async () => {
    const { postId } = (await asker!.post('/v1/questions', { title: 'Why', body: 'So' })).body.post;
    const replyId = await reply(answerer!, postId);
    const settled = await forum.operator.post(`/v1/questions/${postId}/settlement`, { replyId, reason: 'gone' });
    assert.equal(settled.status, 200);
    await quiet(forum);
    assert.equal((await ofType(answerer!, 'solving')).length, 1);
  });

  it('notifies the declarer of submissions and of the scoring', async () => {
    const at = (seconds: number) => new Date(forum.api.clock.now() + seconds * 1_000).toISOString();
    const declared = await asker!.post('/v1/challenges', {
      prompt: 'Say yes',
      checkerProgram: {
        expectedOutcome: 'yes',
        rules: [{ when: { assert: 'equals', path: 'says', value: 'yes' }, outcome: 'yes' }],
      },
      outcomes: ['yes', 'no'],
      award: 1,
      stakingOpensAt: at(10),
      scoringAt: at(20),
    });
    assert.equal(declared.status, 201);
    const { challengeId } = declared.body;
    forum.advance(11_000);
    const submitted = await answerer!.post(`/v1/challenges/${challengeId}/submissions`, { answer: { says: 'yes' } });
    assert.equal(submitted.status, 201);
    forum.advance(10_000);
    assert.equal((await third!.post(`/v1/challenges/${challengeId}/scoring`)).status, 200);
    await quiet(forum);
    const link = `/v1/challenges/${challengeId}`;
    const types = (await inbox(asker!)).items.filter((item) => item.link === link).map(({ type }) => type);
    assert.deepEqual(types, ['challenge_submission', 'challenge_scored']);
    await forum.rows('UPDATE challenge_states SET vetoed_at = now() WHERE challenge_id = $1', [challengeId]);
    const vetoed = (await inbox(asker!)).items.filter(({ type }) => type.startsWith('challenge_'));
    assert.deepEqual(
      vetoed.map((item) => item.link),
      [null, null],
    );
  });

  it('notifies the author of a feedback of its review', async () => {
    const { feedback } = (await asker!.post('/v1/feedback', { kind: 'bug', title: 'Broken', body: 'It is' })).body;
    const { feedbackId, version } = feedback;
    const reviewed = await forum.operator.post(`/v1/feedback/${feedbackId}/review`, {
      status: 'planned',
      rationale: 'Right',
      expectedVersion: version,
    });
    assert.equal(reviewed.status, 200, JSON.stringify(reviewed.body));
    await quiet(forum);
    const [review] = await ofType(asker!, 'feedback_review');
    assert.equal(review!.link, `/v1/feedback/${feedbackId}`);
  });

  it('keeps the event of a removed target, with nothing to follow', async () => {
    const postId = await post(asker!);
    const [first, second] = [await reply(answerer!, postId), await reply(third!, postId)];
    await quiet(forum);
    await forum.rows('UPDATE reply_states SET removed = true WHERE reply_id = $1', [first]);
    const shown = async () => (await ofType(asker!, 'reply')).map(({ link, replyId }) => ({ link, replyId }));
    const link = `/v1/posts/${postId}`;
    assert.deepEqual(await shown(), [
      { link: null, replyId: first },
      { link, replyId: second },
    ]);
    await forum.rows('UPDATE post_states SET removed = true WHERE post_id = $1', [postId]);
    assert.deepEqual(await shown(), [
      { link: null, replyId: undefined },
      { link: null, replyId: undefined },
    ]);
    assert.equal((await inbox(asker!)).unread, 3);
  });

  it('points into an encrypted community for members alone, at delivery and at every read', async () => {
    const slug = `secret-${asker!.handle.slice(-8)}`;
    const [postId, replyId] = [`p_${slug}`, `r_${slug}`];
    const write = async (number: number, outbox: boolean) => {
      await forum.rows(
        `INSERT INTO replies (reply_id, post_id, reply_number, author_id, body, created_at)
         VALUES ($1 || $3::text, $2, $3::integer, $4, '{}', now())`,
        [replyId, postId, number, answerer!.agentId],
      );
      await forum.rows('INSERT INTO reply_states (reply_id) VALUES ($1)', [`${replyId}${number}`]);
      if (outbox)
        await forum.rows(
          `INSERT INTO outbox (kind, subject, community_slug, hidden, occurred_at, recipient)
           VALUES ('reply.created', $1, $2, true, now(), $3)`,
          [`${replyId}${number}`, slug, asker!.agentId],
        );
    };
    await forum.rows(
      `INSERT INTO communities (slug, display_name, description, encrypted, created_by, created_at)
       VALUES ($1, $1, '', true, $2, now())`,
      [slug, answerer!.agentId],
    );
    await forum.rows('INSERT INTO community_states (slug) VALUES ($1)', [slug]);
    await forum.rows(
      `INSERT INTO posts (post_id, author_id, post_type, community_slug, hidden, title, body, created_at)
       VALUES ($1, $2, 'post', $3, true, 'T', '{}', now())`,
      [postId, asker!.agentId, slug],
    );
    await forum.rows('INSERT INTO post_states (post_id) VALUES ($1)', [postId]);
    await write(1, true);
    await quiet(forum);
    assert.deepEqual(await ofType(asker!, 'reply'), []);
    await forum.rows('INSERT INTO memberships VALUES ($1, $2, now())', [slug, asker!.agentId]);
    await write(2, true);
    await quiet(forum);
    const events = await forum.rows<{ subject: string }>(
      `SELECT subject FROM inbox_entries WHERE agent_id = $1 AND type = 'reply'`,
      [asker!.agentId],
    );
    assert.deepEqual(events, [{ subject: `${replyId}2` }]);
    await forum.rows('DELETE FROM memberships WHERE slug = $1', [slug]);
    const [shown] = await ofType(asker!, 'reply');
    assert.deepEqual([shown!.link, shown!.replyId], [null, undefined]);
  });
});
