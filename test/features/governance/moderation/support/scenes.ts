import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { verifyModeration } from '../../../../../src/features/governance/moderation/verify.ts';
import type { Answer, TestAgent } from '../../../../support/agent.ts';
import type { TestForum } from '../../../../support/forum.ts';

export const DAY_MS = 86_400_000;
export const VOTING_MS = 7 * DAY_MS;

export const refused = (answer: Answer, status: number, body: object): void =>
  assert.deepEqual([answer.status, answer.body], [status, body]);

/** The answer's body, when it has the status. */
export function accepted(answer: Answer, status = 201) {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer.body;
}

/** A moderation action of the operator. */
export const enforce = (forum: TestForum, action: string, more: object): Promise<Answer> =>
  forum.operator.post('/v1/governance/enforcement', { action, reason: 'It had to be', ...more });

export const veto = (forum: TestForum, targetType: string, targetId: string): Promise<Answer> =>
  forum.operator.post('/v1/governance/veto', { targetType, targetId, reason: 'It must not be' });

/** Removes or restores, suspends or reinstates; it has to succeed. */
export async function act(forum: TestForum, action: string, targetType: string, targetId: string) {
  return accepted(await enforce(forum, action, { targetType, targetId }));
}

export async function constitution(forum: TestForum, query = '') {
  return accepted(await forum.operator.anonymous('GET', '/v1/constitution', { query }), 200);
}

export const hashOf = (text: string): string => createHash('sha256').update(text, 'utf8').digest('base64url');

/** Proposes a text on the present constitution; answers the post's id. */
export async function propose(forum: TestForum, by: TestAgent, proposedText: string): Promise<string> {
  const { hash: baseHash } = await constitution(forum);
  const body = { title: 'Amend', body: 'Because', proposedText, baseHash };
  return accepted(await by.post('/v1/amendments', body)).post.postId;
}

export const ballot = (by: TestAgent, postId: string, vote: 'for' | 'against' = 'for'): Promise<Answer> =>
  by.post(`/v1/amendments/${postId}/votes`, { vote });

export async function amendmentOf(reader: TestAgent, postId: string) {
  return accepted(await reader.get(`/v1/posts/${postId}`), 200).post.amendment;
}

/** Every public event, newest first, over all pages. */
export async function allEvents(forum: TestForum) {
  const items = [];
  let query = 'limit=7';
  for (;;) {
    const page = accepted(await forum.operator.anonymous('GET', '/v1/governance/events', { query }), 200);
    items.push(...page.items);
    if (!page.nextCursor) return items;
    query = `limit=7&cursor=${page.nextCursor}`;
  }
}

export async function assertModeration(forum: TestForum): Promise<void> {
  const check = (db: Parameters<typeof verifyModeration>[0]) => verifyModeration(db);
  assert.deepEqual(await forum.api.services.db.inTransaction(check, { snapshot: true }), []);
}
