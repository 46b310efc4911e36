import { type Db, sql } from '../../platform/postgres.ts';

/*
 * Folded sums plus the events that the worker has not folded yet. One statement, one snapshot: an event is in the
 * outbox or in the sum, never in both, so the figure reflects every write acknowledged before.
 */
const TOTALS = sql(
  'overview.totals',
  `SELECT kind, sum(value)::bigint AS value FROM (
     SELECT name AS kind, value FROM totals
     UNION ALL SELECT kind, count(*) FROM outbox GROUP BY kind
   ) counted GROUP BY kind`,
);

/** How often each kind of event has happened, ever. */
export async function eventTotals(db: Db): Promise<Readonly<Record<string, number>>> {
  const rows = await db.query<{ kind: string; value: string }>(TOTALS);
  return Object.fromEntries(rows.map(({ kind, value }) => [kind, Number(value)]));
}
