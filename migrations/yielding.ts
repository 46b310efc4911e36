import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

const LOOK_EACH_MS = 50;
/**
 * Well below `deadlock_timeout` (1 s): after that PostgreSQL cancels a member of the deadlock, not always the
 * migration.
 */
const PATIENCE_OF_OTHERS_MS = 200;

const YIELD = `
  SELECT pg_cancel_backend(m.pid) FROM pg_locks m
  WHERE m.pid = ANY ($1::integer[]) AND NOT m.granted AND EXISTS (
    SELECT FROM pg_locks w
    WHERE NOT w.granted AND w.waitstart < clock_timestamp() - interval '${PATIENCE_OF_OTHERS_MS} milliseconds'
      AND m.pid = ANY (pg_blocking_pids(w.pid)))`;

/**
 * Runs `migrate` and cancels its statement (57014) when it waits for a lock while others wait behind it. `sessions` are
 * the process ids of its server sessions. So a migration waits without limit if it delays no other session, as when it
 * builds an index concurrently. A session that is in a deadlock with it continues (migrations/README.md, Locks). Errors
 * of `watcher` are thrown.
 */
export async function yieldingToOthers(
  watcher: pg.Client,
  sessions: ReadonlySet<number>,
  migrate: () => Promise<void>,
): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      await watcher.query(YIELD, [[...sessions]]);
      await sleep(LOOK_EACH_MS, undefined, { signal }).catch(() => {});
    }
  };
  await Promise.all([migrate().finally(() => over.abort()), watch()]);
}
