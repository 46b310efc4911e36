import { createdBy } from '../formats/creatingWrites.ts';
import { type Db, sql } from '../platform/postgres/postgres.ts';

/** Ids of what was accepted and has no place below the head that an export agrees with: few, while the log is written. */
export type Uncovered = ReadonlySet<string>;

const FACTS = sql(
  'export.uncovered',
  `SELECT e.operation, e.facts FROM write_evidence e JOIN log_pending p ON p.pending_id = e.evidence_id AND p.accepted_at = e.accepted_at
   UNION ALL
   SELECT e.operation, e.facts FROM write_evidence e JOIN log_leaves l ON l.evidence_id = e.evidence_id AND l.accepted_at = e.accepted_at
   WHERE l.leaf_index >= $1`,
);
const EVENTS = sql(
  'export.uncoveredEvents',
  `SELECT event_id AS "eventId" FROM log_pending WHERE event_id IS NOT NULL
   UNION ALL SELECT event_id FROM log_leaves WHERE leaf_index >= $1 AND event_id IS NOT NULL`,
);

/** What an export that agrees with a head of `size` leaves to the next one (docs/log#exports). */
export async function uncoveredBy(db: Db, size: number): Promise<Uncovered> {
  const writes = await db.query<{ operation: string; facts: string }>(FACTS, [size]);
  const events = await db.query<{ eventId: string }>(EVENTS, [size]);
  const made = writes.flatMap(({ operation, facts }) => createdBy(operation, JSON.parse(facts)) ?? []);
  return new Set([...made, ...events.map(({ eventId }) => eventId)]);
}
