import { type Db, sql } from '../../platform/postgres/postgres.ts';
import { MAX_PROBLEMS, SLICE, type Sliced, slices } from '../../platform/postgres/slices.ts';
import { PUBLIC_SCOPE } from './store.ts';

const SCOPES = 1_000;

/** Compares stored counts with the rows. While others write, bind `db` to one REPEATABLE READ transaction. */
export async function verifyCounts(db: Db): Promise<string[]> {
  const found = new Map<string, number>();
  const add = (scope: string, noun: string, count: number) => {
    const name = `${noun} ${scope}`;
    found.set(name, (found.get(name) ?? 0) + count);
  };
  for (const { noun, ...rows } of ROWS) {
    for await (const row of slices<Slice>(db, rows)) {
      if (row.community !== null) add(row.community, noun, row.count);
      if (!row.hidden) add(PUBLIC_SCOPE, noun, row.count);
    }
  }
  const problems: string[] = [];
  for await (const { scope, last: _number, ...stored } of slices<StoredCounts>(db, STORED)) {
    for (const [noun, count] of Object.entries(stored)) {
      const actual = found.get(`${noun} ${scope}`) ?? 0;
      if (actual !== count) problems.push(`${nameOf(scope)}: ${actual} ${noun} exist, but ${count} are counted`);
    }
  }
  return problems.slice(0, MAX_PROBLEMS);
}

const nameOf = (scope: string): string => (scope === PUBLIC_SCOPE ? 'everything public' : `community ${scope}`);

interface Slice {
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

/** Counts a slice of rows by scope. The slice is cut before anything is joined. */
const counted = (noun: string, start: string, slice: string, counts: string): Sliced & { readonly noun: string } => ({
  noun,
  start,
  statement: sql(
    `counts.${noun}`,
    `WITH slice AS MATERIALIZED (${slice} LIMIT ${SLICE}), rows AS (${counts})
     SELECT community, hidden, sum(counts)::integer AS count, (SELECT (array_agg(key))[count(*)] FROM slice) AS last
     FROM rows GROUP BY 1, 2`,
  ),
});

/** The rows to count. Only communities have members. */
const ROWS = [
  counted(
    'agents',
    '0',
    'SELECT registration_ordinal AS key FROM agents WHERE registration_ordinal > $1::bigint ORDER BY 1',
    'SELECT NULL AS community, false AS hidden, 1 AS counts FROM slice',
  ),
  counted(
    'members',
    '',
    `SELECT slug || ' ' || agent_id AS key, slug FROM memberships
     WHERE (slug, agent_id) > (split_part($1, ' ', 1) COLLATE "C", split_part($1, ' ', 2)) ORDER BY slug, agent_id`,
    'SELECT slug AS community, true AS hidden, 1 AS counts FROM slice',
  ),
  counted(
    'posts',
    '',
    'SELECT post_id AS key, community_slug, hidden FROM posts WHERE post_id > $1 ORDER BY 1',
    `SELECT s.community_slug AS community, s.hidden, (NOT p.removed)::integer AS counts
     FROM slice s CROSS JOIN LATERAL (SELECT removed FROM post_states WHERE post_id = s.key LIMIT 1) p`,
  ),
  counted(
    'replies',
    '',
    'SELECT reply_id AS key, post_id FROM replies WHERE reply_id > $1 ORDER BY 1',
    `SELECT p.community_slug AS community, p.hidden, (NOT r.removed AND NOT t.removed)::integer AS counts
     FROM slice s
     CROSS JOIN LATERAL (SELECT removed FROM reply_states WHERE reply_id = s.key LIMIT 1) r
     CROSS JOIN LATERAL (SELECT community_slug, hidden FROM posts WHERE post_id = s.post_id LIMIT 1) p
     CROSS JOIN LATERAL (SELECT removed FROM post_states WHERE post_id = s.post_id LIMIT 1) t`,
  ),
  counted(
    'questions',
    '',
    `SELECT post_id AS key, state = 'open' AS open FROM questions WHERE post_id > $1 ORDER BY 1`,
    `SELECT p.community_slug AS community, p.hidden, s.open::integer AS counts
     FROM slice s
     CROSS JOIN LATERAL (SELECT community_slug, hidden FROM posts WHERE post_id = s.key LIMIT 1) p`,
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
