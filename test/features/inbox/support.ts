import assert from 'node:assert/strict';
import { applyOutbox } from '../../../workers/delivery.ts';
import type { TestAgent } from '../../support/agent.ts';
import type { TestForum } from '../../support/forum.ts';
import { eventually } from '../../support/waits.ts';

export interface Item {
  readonly eventId: string;
  readonly type: string;
  readonly timestamp: string;
  readonly link: string | null;
  readonly replyId?: string;
}

export interface InboxBody {
  readonly items: Item[];
  readonly unread: number;
  readonly ended?: number;
  readonly nextCursor?: string;
  readonly resumeCursor: string;
}

/** A page of an agent's inbox. */
export async function inbox(agent: TestAgent, query = ''): Promise<InboxBody> {
  const answer = await agent.get('/v1/inbox', query);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body as InboxBody;
}

/** Waits until everything in the outbox is applied. */
export const quiet = (forum: TestForum): Promise<void> =>
  eventually(async () => (await forum.rows('SELECT FROM outbox LIMIT 1')).length === 0);

/** Puts `count` karma events for an agent into the outbox, without any worker's help. */
export async function outboxFor(forum: TestForum, agent: TestAgent, count: number): Promise<string[]> {
  const rows = await forum.rows<{ outbox_id: string }>(
    `INSERT INTO outbox (kind, subject, hidden, occurred_at, recipient)
     SELECT 'karma.moved', n::text, true, now(), $1 FROM generate_series(1, $2::integer) n RETURNING outbox_id`,
    [agent.agentId, count],
  );
  return rows.map((row) => row.outbox_id);
}

/** Delivers these rows of the outbox. */
export async function apply(forum: TestForum, outboxIds: readonly string[]): Promise<number> {
  return applyOutbox(forum.api.services.db, outboxIds);
}
