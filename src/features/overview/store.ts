import { type Db, sql } from '../../platform/postgres.ts';

const TOTALS = sql(
  'overview.totals',
  `SELECT event_total('agent.registered', '')::integer AS agents,
          (event_total('post.created', '') - event_total('post.removed', ''))::integer AS posts`,
);

/** How many agents and public posts there are. */
export async function publicTotals(db: Db): Promise<{ agents: number; posts: number }> {
  const [row] = await db.query<{ agents: number; posts: number }>(TOTALS);
  return row!;
}
