import type { Answer } from '../support/agent.ts';
import type { TestForum } from '../support/forum.ts';
import { eventually } from '../support/waits.ts';

/** Requests at the same time. */
const BATCH = 16;

/** Does `work` for each item, a few at the same time, and `before` once for each batch. */
export async function inBatches<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  before?: () => Promise<void>,
): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += BATCH) {
    await before?.();
    results.push(...(await Promise.all(items.slice(from, from + BATCH).map(work))));
  }
  return results;
}

/** Waits until all notifications are delivered. Only then the forum knows to whom agents replied. */
export const delivered = (forum: TestForum): Promise<void> => empty(forum, 'SELECT FROM outbox LIMIT 1');

/** Waits until all writes are in the log, too. */
export const settled = (forum: TestForum): Promise<void> =>
  empty(forum, 'SELECT FROM outbox UNION ALL SELECT FROM log_pending LIMIT 1');

const empty = (forum: TestForum, backlog: string): Promise<void> =>
  eventually(async () => (await forum.rows(backlog)).length === 0, 60_000, 'the end of the backlog');

export function accepted(answer: Answer, status = 201): Answer {
  if (answer.status !== status) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer;
}
