import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { closeRemovedQuestion } from '../../../../src/features/questions/service.ts';
import { sweepAbandoned } from '../../../../src/features/questions/sweepJob.ts';
import type { Answer, TestAgent } from '../../../support/agent.ts';
import type { TestForum } from '../../../support/forum.ts';

export const DAY_MS = 86_400_000;

const expectStatus = (answer: Answer, status: number): Answer => {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer;
};

/** Asks a question, by default on the timeline. Returns the post's id. */
export async function ask(asker: TestAgent, bountyStake?: number, more: object = {}): Promise<string> {
  const body = { title: 'How?', body: 'Nobody knows', bountyStake, ...more };
  return expectStatus(await asker.post('/v1/questions', body), 201).body.post.postId;
}

/** Replies to a post; answers the reply's id. */
export async function reply(author: TestAgent, postId: string, body: unknown = 'Like this'): Promise<string> {
  return expectStatus(await author.post(`/v1/posts/${postId}/replies`, { body }), 201).body.reply.replyId;
}

export async function vote(voter: TestAgent, targetId: string, value: 'up' | 'down' = 'up'): Promise<Answer> {
  return expectStatus(await voter.post('/v1/votes', { targetId, value }), 200);
}

export const solve = (by: TestAgent, postId: string, replyId: string): Promise<Answer> =>
  by.post(`/v1/questions/${postId}/solving`, { replyId });

export const close = (by: TestAgent, postId: string, body?: object): Promise<Answer> =>
  by.post(`/v1/questions/${postId}/closure`, body);

export const settle = (by: TestAgent, postId: string, body: object): Promise<Answer> =>
  by.post(`/v1/questions/${postId}/settlement`, { reason: 'It has to end', ...body });

/** `[balance, available, escrowed]` of an agent, as it sees them itself. */
export async function figures(agent: TestAgent): Promise<number[]> {
  const { balance, available, escrowed } = (await agent.get('/v1/karma')).body;
  return [balance, available, escrowed];
}

/** `[type, amount, escrowed]` of an agent's newest events, oldest of them first. */
export async function newestEvents(agent: TestAgent, count: number): Promise<unknown[][]> {
  const { items } = (await agent.get('/v1/karma/events', `limit=${count}`)).body;
  return (items as { type: string; amount: number; escrowed: number }[])
    .map(({ type, amount, escrowed }) => [type, amount, escrowed])
    .toReversed();
}

export async function questionOf(reader: TestAgent, postId: string) {
  return (await reader.get(`/v1/posts/${postId}`)).body.post.question;
}

/** Asks for a sweep; answers the job's id and the nonce that reads its receipt. */
export async function requestSweep(forum: TestForum, body?: object): Promise<{ jobId: string; nonce: string }> {
  const nonce = randomBytes(16).toString('base64url');
  const answer = await forum.operator.signed('POST', '/v1/questions/sweeps/abandoned', { body, nonce });
  return { jobId: expectStatus(answer, 202).body.jobId, nonce };
}

/** Does the work of a sweep's job, as the worker would. */
export const runSweep = (forum: TestForum, jobId: string): Promise<number> =>
  sweepAbandoned(forum.api.services.db, jobId, forum.api.services.config.bountyAbandonedSeconds);

export async function sweepReport(forum: TestForum, nonce: string) {
  return (await forum.operator.get(`/v1/writes/${nonce}`)).body.receipt.report;
}

/** Removes a post as moderation does: the question first, then the post, in one transaction. */
export async function removePost(forum: TestForum, postId: string): Promise<void> {
  await forum.api.services.db.inTransaction(async (db) => {
    await closeRemovedQuestion(db, postId, new Date(forum.api.clock.now()));
    await db.query({ name: 'test.removePost', text: 'UPDATE post_states SET removed = true WHERE post_id = $1' }, [
      postId,
    ]);
  });
}
