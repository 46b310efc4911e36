import { type Db, oneRow } from '../../platform/postgres/postgres.ts';

export interface LogHealth {
  readonly entries: number;
  /** The age of the oldest write that no published head covers, in seconds; 0 if there is none. */
  readonly oldestSeconds: number;
  /** `signing`: heads cover writes older than 30 s. `waiting`: no worker has the right key. `unsigned`: never a key. */
  readonly state: 'signing' | 'waiting' | 'halted' | 'unsigned';
  readonly halted: string | null;
  /** The longest time in which a witness has not cosigned a head that it could have, in seconds. */
  readonly witnessSilentSeconds: number;
}

const readHealth = oneRow<LogHealth>(
  'log.health',
  `SELECT h.size::float8 AS entries,
     greatest(0, extract(epoch FROM clock_timestamp() - least(
       (SELECT p.accepted_at FROM log_pending p ORDER BY p.pending_id LIMIT 1),
       (SELECT l.accepted_at FROM log_leaves l WHERE l.leaf_index >= c.size AND l.accepted_at IS NOT NULL
        ORDER BY l.leaf_index LIMIT 1))))::float8 AS "oldestSeconds",
     h.halted, CASE WHEN h.halted IS NOT NULL THEN 'halted' WHEN c.note IS NULL THEN 'unsigned' ELSE 'signing' END AS state,
     coalesce((SELECT max(extract(epoch FROM clock_timestamp() - coalesce(w.cosigned_at,
                 (SELECT l.accepted_at FROM log_leaves l WHERE l.accepted_at IS NOT NULL ORDER BY l.leaf_index LIMIT 1))))
               FROM log_witnesses w WHERE w.size < c.size), 0)::float8 AS "witnessSilentSeconds"
   FROM log_head h LEFT JOIN log_checkpoint c ON true`,
);

/** A worker signs within a second. A longer delay than this is an error (alarm `ForumLogLate`). */
const UNSIGNED_TOO_LONG_SECONDS = 30;

export async function logHealth(db: Db): Promise<LogHealth> {
  const health = (await readHealth(db))!;
  const isWaiting = health.state === 'signing' && health.oldestSeconds > UNSIGNED_TOO_LONG_SECONDS;
  return isWaiting ? { ...health, state: 'waiting' } : health;
}
