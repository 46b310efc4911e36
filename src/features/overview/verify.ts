import { type Db, sql } from '../../platform/postgres/postgres.ts';
import { MAX_PROBLEMS, SLICE, type Sliced, slices } from '../../platform/postgres/slices.ts';
import { type DayNoun, DayTally } from '../history/verify.ts';
import { PUBLIC_SCOPE } from './store.ts';

const SCOPES = 1_000;

/** Compares stored counts with the rows. While others write, bind `db` to one REPEATABLE READ transaction. */
export async function verifyCounts(db: Db): Promise<string[]> {
  const found = new Map<string, number>();
  const add = (scope: string, noun: string, count: number) => {
    const name = `${noun} ${scope}`;
    found.set(name, (found.get(name) ?? 0) + count);
  };
  const days = await DayTally.open(db);
  for (const rows of ROWS) {
    for await (const { noun, daily, day, community, hidden, count } of slices<Slice>(db, rows)) {
      if (daily !== null) days.add({ noun: daily, day, community, hidden, count });
      if (noun === null) continue;
      if (community !== null) add(community, noun, count);
      if (!hidden) add(PUBLIC_SCOPE, noun, count);
    }
  }
  const problems: string[] = [];
  for await (const { scope, last: _number, ...stored } of slices<StoredCounts>(db, STORED)) {
    for (const [noun, count] of Object.entries(stored)) {
      const actual = found.get(`${noun} ${scope}`) ?? 0;
      if (actual !== count) problems.push(`${nameOf(scope)}: ${actual} ${noun} exist, but ${count} are counted`);
    }
  }
  problems.push(...(await days.problems(db)));
  return problems.slice(0, MAX_PROBLEMS);
}

const nameOf = (scope: string): string => (scope === PUBLIC_SCOPE ? 'everything public' : `community ${scope}`);

interface Slice {
  /** Of the counts now; null for rows that only days count. */
  readonly noun: string | null;
  /** Of the counts by day; null for rows that days do not count. */
  readonly daily: DayNoun | null;
  readonly day: number;
  readonly community: string | null;
  readonly hidden: boolean;
  readonly count: number;
  readonly last: string;
}

interface StoredCounts {
  readonly scope: string;
  readonly last: string;
  readonly agents: number;
  readonly members: number;
  readonly posts: number;
  readonly replies: number;
  readonly questions: number;
}

/** Counts a slice of rows by scope and day. The slice is cut before anything is joined. */
const counted = (noun: string, start: string, slice: string, counts: string): Sliced => ({
  start,
  statement: sql(
    `counts.${noun}`,
    `WITH slice AS MATERIALIZED (${slice} LIMIT ${SLICE}), rows AS (${counts})
     SELECT noun, daily, community, hidden, day, sum(counts)::integer AS count,
            (SELECT (array_agg(key))[count(*)] FROM slice) AS last
     FROM rows GROUP BY 1, 2, 3, 4, 5`,
  ),
});

/** The rows to count. Only communities have members. */
const ROWS = [
  counted(
    'agents',
    '0',
    `SELECT registration_ordinal AS key, registered_at FROM agents WHERE registration_ordinal > $1::bigint ORDER BY 1`,
    `SELECT 'agents' AS noun, 'agents' AS daily, NULL AS community, false AS hidden, public.day_of(registered_at) AS day,
            1 AS counts FROM slice`,
  ),
  counted(
    'members',
    '',
    `SELECT slug || ' ' || agent_id AS key, slug FROM memberships
     WHERE (slug, agent_id) > (split_part($1, ' ', 1) COLLATE "C", split_part($1, ' ', 2)) ORDER BY slug, agent_id`,
    `SELECT 'members' AS noun, NULL AS daily, slug AS community, true AS hidden, 0 AS day, 1 AS counts FROM slice`,
  ),
  counted(
    'posts',
    '',
    'SELECT post_id AS key, community_slug, hidden, post_type, created_at FROM posts WHERE post_id > $1 ORDER BY 1',
    `SELECT n.noun, n.daily, s.community_slug AS community, s.hidden, public.day_of(s.created_at) AS day,
            (NOT p.removed)::integer AS counts
     FROM slice s CROSS JOIN LATERAL (SELECT removed FROM post_states WHERE post_id = s.key LIMIT 1) p
     CROSS JOIN LATERAL (
       SELECT 'posts' AS noun, 'posts' AS daily UNION ALL SELECT NULL, 'questions' WHERE s.post_type = 'question') n`,
  ),
  counted(
    'replies',
    '',
    'SELECT reply_id AS key, post_id, created_at FROM replies WHERE reply_id > $1 ORDER BY 1',
    `SELECT n.noun, n.daily, p.community_slug AS community, p.hidden, public.day_of(s.created_at) AS day, n.counts::integer
     FROM slice s
     CROSS JOIN LATERAL (SELECT removed FROM reply_states WHERE reply_id = s.key LIMIT 1) r
     CROSS JOIN LATERAL (SELECT community_slug, hidden FROM posts WHERE post_id = s.post_id LIMIT 1) p
     CROSS JOIN LATERAL (SELECT removed FROM post_states WHERE post_id = s.post_id LIMIT 1) t
     CROSS JOIN LATERAL (VALUES
       ('replies', 'replies', NOT r.removed AND NOT t.removed), (NULL, 'threadReplies', NOT r.removed)
     ) n (noun, daily, counts)`,
  ),
  counted(
    'questions',
    '',
    `SELECT post_id AS key, state = 'open' AS open FROM questions WHERE post_id > $1 ORDER BY 1`,
    `SELECT 'questions' AS noun, NULL AS daily, p.community_slug AS community, p.hidden, 0 AS day, s.open::integer AS counts
     FROM slice s
     CROSS JOIN LATERAL (SELECT community_slug, hidden FROM posts WHERE post_id = s.key LIMIT 1) p`,
  ),
  counted(
    'challenges',
    '',
    'SELECT challenge_id AS key, created_at FROM challenges WHERE challenge_id > $1 ORDER BY 1',
    `SELECT NULL AS noun, 'challenges' AS daily, NULL AS community, false AS hidden, public.day_of(s.created_at) AS day,
            (NOT c.removed AND c.vetoed_at IS NULL)::integer AS counts
     FROM slice s
     CROSS JOIN LATERAL (SELECT removed, vetoed_at FROM challenge_states WHERE challenge_id = s.key LIMIT 1) c`,
  ),
];

const STORED = {
  start: '-1',
  statement: sql(
    'counts.kept',
    `SELECT scope, number AS last, s.agents::integer, s.members::integer, s.posts::integer, s.replies::integer,
            s.open_questions::integer AS questions
     FROM (SELECT scope, number FROM (
             SELECT '${PUBLIC_SCOPE}' AS scope, 0 AS number UNION ALL SELECT slug, community_number FROM communities) every
           WHERE number > $1::bigint ORDER BY number LIMIT ${SCOPES}) scopes
     CROSS JOIN LATERAL release.scope_sums(scope) s ORDER BY number`,
  ),
};
