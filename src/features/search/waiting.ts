import type { Db } from '../../platform/postgres/postgres.ts';
import { sql } from '../../platform/postgres/postgres.ts';
import { type Queue, QueueStart, RUNNING } from '../../platform/postgres/queueStart.ts';

/** Posts that are in no segment yet. Their ids are drawn as a request begins, which may wait before it is stored. */
export const WAITING: Queue = {
  oldest: sql(
    'search.oldestWaiting',
    `SELECT coalesce((SELECT post_id FROM search_waiting WHERE post_id >= $1 ORDER BY post_id LIMIT 1),
                     (SELECT post_id FROM posts ORDER BY post_id DESC LIMIT 1), $1) AS oldest, ${RUNNING}`,
  ),
  first: '',
  isBelow: (a, b) => a < b,
  settledMs: 60_000,
};

const starts = new WeakMap<Db, QueueStart>();

/** A post id below which none waits for a segment, nor ever will (`QueueStart`). */
export async function waitingFrom(db: Db): Promise<string> {
  const database = db.origin ?? db;
  const start = starts.get(database) ?? new QueueStart(WAITING);
  starts.set(database, start);
  return start.below(db);
}
