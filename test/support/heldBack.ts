import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './agent.ts';
import type { TestForum } from './forum.ts';
import { eventually } from './waits.ts';

/** What a transaction of the test's locks, and so keeps others waiting. */
export interface Held {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A fail-fast write has been rejected by then, and waits on a connection of its own. */
const UNTIL_PATIENT_MS = 200;

/**
 * Begins each request when those before it wait, while the rows of `held` are locked. Then runs `meanwhile` and
 * releases the lock. Returns the answers of the requests.
 */
export async function heldBack<T = Answer>(
  forum: TestForum,
  held: Held,
  acts: readonly (() => Promise<T>)[],
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<T[]> {
  const holder = await forum.database.pool.connect();
  const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  const answers: Promise<T>[] = [];
  try {
    await holder.query('BEGIN');
    await holder.query(held.text, [...held.values]);
    for (const act of acts) {
      answers.push(act());
      const wait = () => eventually(async () => (await forum.rows(waiting)).length === answers.length);
      await wait();
      await sleep(UNTIL_PATIENT_MS);
      await wait();
    }
    await meanwhile();
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
  return Promise.all(answers);
}

/** A connection reports its counts once a second. */
const UNTIL_TOLD_MS = 1_500;

/** Circles of locks that the database has ended so far. */
export async function deadlocks(forum: TestForum): Promise<number> {
  await sleep(UNTIL_TOLD_MS);
  const [row] = await forum.rows<{ deadlocks: string }>(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(row!.deadlocks);
}
