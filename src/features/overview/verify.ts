import { type Db, sql } from '../../platform/postgres/postgres.ts';
import { MAX_PROBLEMS, SLICE, slices } from '../../platform/postgres/slices.ts';
import { PUBLIC_SCOPE } from './store.ts';

/** How many scopes a statement compares. */
const SCOPES = 1_000;

/**
 * Compares the stored counts of agents, members, posts, replies and open questions with the rows, for everything public and
 * for each community. Returns the problems. It reads in slices; while others write, `db` has to be bound to one REPEATABLE
 * READ transaction.
 */
export async function verifyCounts(db: Db): Promise<string[]> {
  const there = new Counts();
  for (const [noun, facts] of Object.entries(FACTS)) {
    for await (const row of slices<Slice>(db, facts)) {
      if (row.community !== null) there.add(row.community, noun, row.count);
      if (!row.hidden) there.add(PUBLIC_SCOPE, noun, row.count);
    }
  }
  const problems: string[] = [];
  for await (const { scope, last: _number, ...stored } of slices<StoredCounts>(db, STORED)) {
    for (const [noun, count] of Object.entries(stored)) {
      const actual = there.of(scope, noun);
      if (actual !== count) problems.push(`${nameOf(scope)}: ${actual} ${noun} are there, ${count} are counted`);
    }
  }
  return problems.slice(0, MAX_PROBLEMS);
}

const nameOf = (scope: string): string => (scope === PUBLIC_SCOPE ? 'everything public' : `community ${scope}`);

/** How many rows of a slice belong to a scope, and the last key of the slice. */
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
const sums = (slice: string, counts: string): string =>
  `WITH slice AS MATERIALIZED (${slice} LIMIT ${SLICE}), rows AS (${counts})
   SELECT community, hidden, sum(counts)::integer AS count, (SELECT (array_agg(key))[count(*)] FROM slice) AS last
   FROM rows GROUP BY 1, 2`;

/** The rows to count, by noun. Only communities have members. */
const FACTS = {
  agents: {
    start: '0',
    statement: sql(
      'counts.agents',
      sums(
        'SELECT registration_ordinal AS key FROM agents WHERE registration_ordinal > $1::bigint ORDER BY 1',
        'SELECT NULL AS community, false AS hidden, 1 AS counts FROM slice',
      ),
    ),
  },
  members: {
    start: '',
    statement: sql(
      'counts.members',
      sums(
        `SELECT slug || ' ' || agent_id AS key, slug FROM memberships
         WHERE (slug, agent_id) > (split_part($1, ' ', 1) COLLATE "C", split_part($1, ' ', 2)) ORDER BY slug, agent_id`,
        'SELECT slug AS community, true AS hidden, 1 AS counts FROM slice',
      ),
    ),
  },
  posts: {
    start: '',
    statement: sql(
      'counts.posts',
      sums(
        'SELECT post_id AS key, community_slug, hidden FROM posts WHERE post_id > $1 ORDER BY 1',
        `SELECT s.community_slug AS community, s.hidden, (NOT p.removed)::integer AS counts
         FROM slice s CROSS JOIN LATERAL (SELECT removed FROM post_states WHERE post_id = s.key LIMIT 1) p`,
      ),
    ),
  },
  replies: {
    start: '',
    statement: sql(
      'counts.replies',
      sums(
        'SELECT reply_id AS key, post_id FROM replies WHERE reply_id > $1 ORDER BY 1',
        `SELECT p.community_slug AS community, p.hidden, (NOT r.removed AND NOT t.removed)::integer AS counts
         FROM slice s
         CROSS JOIN LATERAL (SELECT removed FROM reply_states WHERE reply_id = s.key LIMIT 1) r
         CROSS JOIN LATERAL (SELECT community_slug, hidden FROM posts WHERE post_id = s.post_id LIMIT 1) p
         CROSS JOIN LATERAL (SELECT removed FROM post_states WHERE post_id = s.post_id LIMIT 1) t`,
      ),
    ),
  },
  questions: {
    start: '',
    statement: sql(
      'counts.questions',
      sums(
        `SELECT post_id AS key, state = 'open' AS open FROM questions WHERE post_id > $1 ORDER BY 1`,
        `SELECT p.community_slug AS community, p.hidden, s.open::integer AS counts
         FROM slice s
         CROSS JOIN LATERAL (SELECT community_slug, hidden FROM posts WHERE post_id = s.key LIMIT 1) p`,
      ),
    ),
  },
};

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

class Counts {
  readonly #counts = new Map<string, number>();

  add(scope: string, noun: string, count: number): void {
    this.#counts.set(`${noun} ${scope}`, this.of(scope, noun) + count);
  }

  of(scope: string, noun: string): number {
    return this.#counts.get(`${noun} ${scope}`) ?? 0;
  }
}
