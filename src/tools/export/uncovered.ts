import { logRuleOf } from '../../operation/operation.ts';
import { OPERATIONS_BY_NAME } from '../../operations.ts';
import { CLOCK_TOLERANCE_SECONDS } from '../../pipeline/admission.ts';
import { type Db, sql } from '../../platform/postgres/postgres.ts';
import { REQUEST_FORMAT } from '../../protocol/signing.ts';
import { subjectId } from '../../protocol/subjects.ts';

/** The ids of accepted content without an opened entry in the export. They are few while the log is written. */
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

const UNPUBLISHED = sql(
  'export.unpublished',
  `SELECT min(l.leaf_index)::float8 AS first
   FROM write_evidence e JOIN log_leaves l ON l.evidence_id = e.evidence_id AND l.accepted_at = e.accepted_at
   WHERE e.accepted_at > $1 AND CASE WHEN starts_with(e.signed_text, '${REQUEST_FORMAT}\n') THEN
     split_part(e.signed_text, E'\\n', 5)::bigint > $2 END`,
);

/** The first unpublished entry, or infinity (docs/log#delayed-publication). An export opens no later write. */
export async function firstUnpublished(db: Db, delaySeconds: number, now: Date): Promise<number> {
  if (delaySeconds === 0) return Number.POSITIVE_INFINITY;
  const acceptedAfter = new Date(now.getTime() - (delaySeconds + CLOCK_TOLERANCE_SECONDS) * 1_000);
  const signedAfter = Math.floor(now.getTime() / 1_000) - delaySeconds;
  const [{ first }] = (await db.query<{ first: number | null }>(UNPUBLISHED, [acceptedAfter, signedAfter])) as [
    { first: number | null },
  ];
  return first ?? Number.POSITIVE_INFINITY;
}

/** The ids of all content that is left to a later export (docs/log#exports). */
export async function uncoveredBy(
  db: Db,
  { size, unpublished }: { size: number; unpublished: number },
): Promise<Uncovered> {
  const writes = await db.query<{ operation: string; facts: string }>(FACTS, [Math.min(size, unpublished)]);
  const events = await db.query<{ eventId: string }>(EVENTS, [size]);
  const made = writes.flatMap(({ operation, facts }) => createdBy(operation, facts) ?? []);
  return new Set([...made, ...events.map(({ eventId }) => eventId)]);
}

/** The id of the content that a write created, or undefined if an export has no such content. */
function createdBy(operation: string, facts: string): string | undefined {
  const rule = logRuleOf(OPERATIONS_BY_NAME.get(operation));
  return typeof rule === 'string' || rule.subject !== 'created' ? undefined : subjectId(rule.shown, JSON.parse(facts));
}
