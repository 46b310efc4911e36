import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

const LOOK_EACH_MS = 50;
/** Well below `deadlock_timeout` (1 s): after that PostgreSQL refuses a member of the circle, and not always the migration. */
const PATIENCE_OF_OTHERS_MS = 200;

const YIELD = `
  SELECT pg_cancel_backend(m.pid) FROM pg_locks m
  WHERE m.pid = ANY ($1::integer[]) AND NOT m.granted AND EXISTS (
    SELECT FROM pg_locks w
    WHERE NOT w.granted AND w.waitstart < clock_timestamp() - interval '${PATIENCE_OF_OTHERS_MS} milliseconds'
      AND m.pid = ANY (pg_blocking_pids(w.pid)))`;

/**
 * Carries out what migrates in `sessions` (process ids of the server), and stops its statement (57014) whenever it waits for
 * a lock while others wait behind it: so it waits as long as it likes where that holds nobody up, as an index that is built
 * concurrently does, and whoever comes to a deadlock with it goes on (migrations/README.md, Locks). `watcher` is free
 * meanwhile; what fails there is thrown.
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
