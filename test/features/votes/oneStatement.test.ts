import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { OWN_CONNECTION, sql } from '../../../src/platform/postgres/postgres.ts';
import type { TestAgent } from '../../support/agent.ts';
import { startForum, type TestForum } from '../../support/forum.ts';
import { eventually } from '../../support/waits.ts';

const WAITING = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
const newNonce = () => randomBytes(16).toString('base64url');

describe('a vote is one statement', () => {
  let forum: TestForum;
  let author: TestAgent;
  let voter: TestAgent;
  before(async () => {
    forum = await startForum({ env: { LIMIT_VOTES: '2' } });
    author = await forum.agent();
  });
  after(() => forum.stop());
  beforeEach(async () => {
    voter = await forum.agent();
  });

  const newPost = async (): Promise<string> =>
    (await author.post('/v1/posts', { title: 'Vote on me', body: 'x' })).body.post.postId;
  const vote = (targetId: string, value = 'up', nonce = newNonce()) =>
    voter.signed('POST', '/v1/votes', { body: { targetId, value }, nonce });
  const receiptOf = async (nonce: string) =>
    (await forum.rows<{ counter: string | null }>('SELECT counter FROM write_receipts WHERE nonce = $1', [nonce]))[0];

  it('begins no transaction that would hold the target across round trips', async () => {
    const target = await newPost();
    const { db } = forum.api.services;
    const begin = db.transaction;
    let statements = 0;
    db.transaction = (...args) => {
      const transaction = begin.apply(db, args);
      const { query } = transaction;
      transaction.query = (...sent) => {
        statements += 1;
        return query.apply(transaction, sent) as never;
      };
      return transaction;
    };
    try {
      await vote(target);
      await vote(target, 'down');
      await voter.post('/v1/votes/recant', { targetId: target });
    } finally {
      db.transaction = begin;
    }
    assert.equal(statements, 0);
    const [row] = await forum.rows('SELECT upvotes, downvotes FROM post_states WHERE post_id = $1', [target]);
    assert.deepEqual(row, { upvotes: 0, downvotes: 0 });
  });

  it('counts once though two processes cast it at the same time', async () => {
    const target = await newPost();
    const { body } = await author.post(`/v1/posts/${target}/replies`, { body: 'Vote on me' });
    const cast = sql('test.cast', 'SELECT release.cast_vote($1, $2, 1, now(), 1, 5, 20, now(), NULL, now())');
    const { db } = forum.api.services;
    for (const targetId of [target, body.reply.replyId]) {
      let second: Promise<unknown> | undefined;
      await db.inTransaction(async (tx) => {
        await tx.query(cast, [voter.agentId, targetId]);
        second = db.query(cast, [voter.agentId, targetId], OWN_CONNECTION);
        await eventually(async () => (await forum.rows(WAITING)).length === 1);
      });
      await second;
      const counted = `SELECT upvotes FROM post_states WHERE post_id = $1
                       UNION ALL SELECT upvotes FROM reply_states WHERE reply_id = $1`;
      assert.deepEqual(await forum.rows(counted, [targetId]), [{ upvotes: 1 }], targetId);
    }
  });

  it('repeated is free even when nothing is left, in answer, allowance and stored receipt', async () => {
    const [first, second, third] = [await newPost(), await newPost(), await newPost()];
    await vote(first);
    assert.equal((await vote(second)).body.rateLimit.remaining, 0);
    const nonce = newNonce();
    const again = await vote(first, 'up', nonce);
    assert.deepEqual([again.status, again.body.changed, again.body.rateLimit.remaining], [200, false, 0]);
    assert.deepEqual(await receiptOf(nonce), { counter: null });
    assert.deepEqual((await voter.get(`/v1/writes/${nonce}`)).body.receipt, again.body);
    assert.equal((await vote(third)).status, 429);
    assert.equal((await vote(first, 'down')).status, 429);
    assert.equal((await vote(`p_${'0'.repeat(25)}`)).status, 404, 'what does not exist goes before the allowance');
    assert.equal((await voter.post('/v1/votes/recant', { targetId: first })).status, 200);
  });

  it('gives the reservation of a repetition back, and keeps that of a change', async () => {
    const target = await newPost();
    await vote(target);
    for (let n = 0; n < 3; n++) assert.equal((await vote(target)).body.rateLimit.remaining, 1);
    const nonce = newNonce();
    const flip = await vote(target, 'down', nonce);
    assert.equal(flip.body.rateLimit.remaining, 0);
    assert.deepEqual(await receiptOf(nonce), { counter: 'votes' });
    assert.deepEqual((await voter.get(`/v1/writes/${nonce}`)).body.receipt, flip.body);
  });
});
