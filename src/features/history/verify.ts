import { type Db, manyRows, oneValue, sql } from '../../platform/postgres/postgres.ts';
import { SLICE, type Sliced, slices } from '../../platform/postgres/slices.ts';
import { dateOf } from './rules.ts';

/** The figures of a day that can be computed from rows. `threadReplies` includes the replies of removed posts. */
const NOUNS = {
  agents: 'agents',
  posts: 'posts',
  replies: 'replies',
  questions: 'questions',
  challenges: 'challenges',
  threadReplies: 'replies in threads',
} as const;
export type DayNoun = keyof typeof NOUNS;
/** The figures that histories of agents show. */
const OF_AUTHORS: readonly DayNoun[] = ['posts', 'replies'];

/** Rows of one day and place. */
export interface DayRows {
  readonly noun: DayNoun;
  readonly day: number;
  readonly community: string | null;
  readonly hidden: boolean;
  readonly count: number;
}

/**
 * Sums for one scope, which is the forum or a community. `ofAuthors` says that the rows of all authors are added up.
 * `day` is null for a community.
 */
interface DaySums extends Readonly<Record<DayNoun, number>> {
  readonly ofAuthors: boolean;
  readonly scope: string;
  readonly day: number | null;
}

/** The days of a community are added up, so that there are as many sums as days and communities. */
const SUMS = `SELECT f.agent_id <> '' AS "ofAuthors", f.scope, CASE f.scope WHEN '' THEN f.day END AS day, ${Object.keys(
  NOUNS,
)
  .map((noun) => `coalesce(sum(f."${noun}") FILTER (WHERE f.day >= c.since), 0)::integer AS "${noun}"`)
  .join(', ')}`;

const COUNTS: Sliced = {
  start: '  -1',
  statement: sql(
    'history.verifyCounts',
    `WITH slice AS MATERIALIZED (
       SELECT k.*, 0 AS "threadReplies" FROM day_counts k
       WHERE (k.agent_id, k.scope, k.day) >
         (split_part($1, ' ', 1) COLLATE "C", split_part($1, ' ', 2) COLLATE "C", split_part($1, ' ', 3)::integer)
       ORDER BY k.agent_id, k.scope, k.day LIMIT ${SLICE})
     ${SUMS}, (SELECT format('%s %s %s', s.agent_id, s.scope, s.day) FROM slice s
               ORDER BY s.agent_id DESC, s.scope DESC, s.day DESC LIMIT 1) AS last
     FROM slice f CROSS JOIN day_counting c GROUP BY 1, 2, 3`,
  ),
};

const THREADS: Sliced = {
  start: '-1 ',
  statement: sql(
    'history.verifyThreads',
    `WITH slice AS MATERIALIZED (
       SELECT '' AS agent_id, '' AS scope, t.day, 0 AS agents, 0 AS posts, 0 AS replies, 0 AS questions, 0 AS challenges,
         t.replies AS "threadReplies", t.post_id
       FROM day_threads t
       WHERE (t.day, t.post_id) > (split_part($1, ' ', 1)::integer, split_part($1, ' ', 2) COLLATE "C")
       ORDER BY t.day, t.post_id LIMIT ${SLICE})
     ${SUMS}, (SELECT format('%s %s', s.day, s.post_id) FROM slice s ORDER BY s.day DESC, s.post_id DESC LIMIT 1) AS last
     FROM slice f CROSS JOIN day_counting c GROUP BY 1, 2, 3`,
  ),
};

/** Adds what `count_days` will add: corrections, and events that are not delivered. */
const waiting = manyRows<DaySums, []>(
  'history.verifyWaiting',
  `${SUMS} FROM (
     SELECT k.agent_id, k.scope, k.day, 0 AS agents, k.posts, k.questions, k.challenges,
       CASE WHEN k.thread_id IS NULL THEN k.replies ELSE 0 END AS replies,
       CASE WHEN k.thread_id IS NULL THEN 0 ELSE k.replies END AS "threadReplies"
     FROM day_corrections k
     UNION ALL
     SELECT place.agent_id, place.scope, public.day_of(e.occurred_at), (e.kind = 'agent.registered')::integer,
       (e.kind = 'post.created')::integer, (e.kind = 'question.asked')::integer, (e.kind = 'challenge.created')::integer,
       (e.kind = 'reply.created')::integer, (e.kind = 'reply.created' AND place.threads)::integer
     FROM outbox e CROSS JOIN LATERAL (VALUES
       ('', '', NOT e.hidden, true),
       ('', e.community_slug, e.community_slug IS NOT NULL, false),
       ('author', '', NOT e.hidden AND e.kind IN ('post.created', 'reply.created'), false),
       ('author', e.community_slug,
        NOT e.hidden AND e.kind IN ('post.created', 'reply.created') AND e.community_slug IS NOT NULL, false)
     ) place (agent_id, scope, counts, threads)
     WHERE place.counts
       AND e.kind IN ('agent.registered', 'post.created', 'reply.created', 'question.asked', 'challenge.created')) f
   CROSS JOIN day_counting c GROUP BY 1, 2, 3`,
);

const firstCountedDay = oneValue<number>('history.verifySince', 'SELECT since FROM day_counting');

/** The rows of each day and of each community, to compare them with the counts of days. */
export class DayTally {
  readonly #since: number;
  readonly #sums = new Map<string, number>();

  private constructor(since: number) {
    this.#since = since;
  }

  static async open(db: Db): Promise<DayTally> {
    return new DayTally((await firstCountedDay(db))!);
  }

  add({ noun, day, community, hidden, count }: DayRows): void {
    if (day < this.#since) return;
    for (const ofAuthors of OF_AUTHORS.includes(noun) ? [false, true] : [false]) {
      if (!hidden) add(this.#sums, { ofAuthors, scope: '', day }, noun, count);
      if (community !== null && noun !== 'threadReplies' && !(ofAuthors && hidden)) {
        add(this.#sums, { ofAuthors, scope: community, day: null }, noun, count);
      }
    }
  }

  /** Reads the counts in slices: while others write, `db` must be the REPEATABLE READ transaction of the rows. */
  async problems(db: Db): Promise<string[]> {
    const kept = new Map<string, number>();
    const addSums = (sums: DaySums) => {
      const counted = (Object.keys(NOUNS) as DayNoun[]).filter((noun) => !sums.ofAuthors || OF_AUTHORS.includes(noun));
      for (const noun of counted) add(kept, sums, noun, sums[noun]);
    };
    for (const counts of [COUNTS, THREADS]) {
      for await (const sums of slices<DaySums & { readonly last: string }>(db, counts)) addSums(sums);
    }
    for (const sums of await waiting(db)) addSums(sums);
    return [...new Set([...this.#sums.keys(), ...kept.keys()])].flatMap((place) => {
      const [rows, counted] = [this.#sums.get(place) ?? 0, kept.get(place) ?? 0];
      return rows === counted ? [] : [`${nameOf(place, rows)} exist, but ${counted} are counted by day`];
    });
  }
}

type Place = Pick<DaySums, 'ofAuthors' | 'scope' | 'day'>;

function add(sums: Map<string, number>, { ofAuthors, scope, day }: Place, noun: DayNoun, count: number): void {
  const key = [ofAuthors, scope, day, noun].join(' ');
  sums.set(key, (sums.get(key) ?? 0) + count);
}

function nameOf(place: string, rows: number): string {
  const [ofAuthors, scope, day, noun] = place.split(' ') as [string, string, string, DayNoun];
  const where = scope === '' ? `everything public on ${dateOf(Number(day))}` : `community ${scope}`;
  return `${ofAuthors === 'true' ? 'authors in ' : ''}${where}: ${rows} ${NOUNS[noun]}`;
}
