import { type Db, manyRows, oneValue } from '../../platform/postgres/postgres.ts';
import type { Days, KarmaSnapshot } from './rules.ts';

/** The figures of one day. They are null for days before the forum counted by day. */
export interface DayCounts {
  readonly day: number;
  readonly agents: number | null;
  readonly members: number | null;
  readonly posts: number | null;
  readonly replies: number | null;
  readonly votes: number | null;
  readonly questions: number | null;
  readonly challenges: number | null;
}

const FIGURES = ['agents', 'members', 'posts', 'replies', 'votes', 'questions', 'challenges'];
/** Leaves change `members` by less than zero. The other figures are never negative once all events are delivered. */
const shown = (figure: string) =>
  figure === 'members' ? `coalesce(sums.${figure}, 0)::integer` : `greatest(coalesce(sums.${figure}, 0), 0)::integer`;

/** Public sums leave out the content of removed communities, as the pulse does (`release.public_sums`). */
const countsOfDays = manyRows<DayCounts, [agentId: string, scope: string, first: number, last: number]>(
  'history.counts',
  `SELECT n.day, ${FIGURES.map((figure) => `CASE WHEN n.day >= c.since THEN ${shown(figure)} END AS ${figure}`).join(', ')}
   FROM generate_series($3::integer, $4::integer) n (day) CROSS JOIN day_counting c
   LEFT JOIN (
     SELECT counted.day, ${FIGURES.map((figure) => `sum(counted.${figure}) AS ${figure}`).join(', ')}
     FROM (
       SELECT d.day, ${FIGURES.map((figure) => `d.${figure}`).join(', ')}
       FROM day_counts d WHERE d.agent_id = $1 AND d.scope = $2 AND d.day BETWEEN $3 AND $4
       UNION ALL
       SELECT d.day, 0, 0, -d.posts, -d.replies, 0, -d.questions, 0
       FROM release.removed_public_communities() r (slug) CROSS JOIN LATERAL (
         SELECT o.day, o.posts, o.replies, o.questions FROM day_counts o
         WHERE o.agent_id = $1 AND o.scope = r.slug AND o.day BETWEEN $3 AND $4 OFFSET 0) d
       WHERE $2 = '') counted
     GROUP BY counted.day) sums ON sums.day = n.day
   ORDER BY n.day`,
);

export const EVERYBODY = '';
export const EVERYTHING_PUBLIC = '';

export const dayCounts = (
  db: Db,
  { agentId = EVERYBODY, scope = EVERYTHING_PUBLIC }: { agentId?: string; scope?: string },
  { first, last }: Days,
): Promise<DayCounts[]> => countsOfDays(db, agentId, scope, first, last);

interface StoredSnapshot {
  readonly day: number;
  readonly grace: string;
  readonly main: string;
}

/** The snapshots of these days, and the latest one before them. */
const storedSnapshots = manyRows<StoredSnapshot, [agentId: string, first: number, last: number]>(
  'history.karma',
  `SELECT k.day, k.grace, k.main FROM karma_days k
   WHERE k.agent_id = $1 AND k.day <= $3 AND k.day >= coalesce(
     (SELECT b.day FROM karma_days b WHERE b.agent_id = $1 AND b.day <= $2 ORDER BY b.day DESC LIMIT 1), $2)
   ORDER BY k.day`,
);

export async function karmaSnapshots(db: Db, agentId: string, { first, last }: Days): Promise<KarmaSnapshot[]> {
  const rows = await storedSnapshots(db, agentId, first, last);
  return rows.map(({ day, grace, main }) => ({ day, grace: BigInt(grace), main: BigInt(main) }));
}

export const snapshotKarma = oneValue<number, [most: number]>(
  'history.snapshotKarma',
  'SELECT release.snapshot_karma($1) AS agents',
);
