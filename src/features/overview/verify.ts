import { type Db, sql } from '../../platform/postgres/postgres.ts';
import { PUBLIC_SCOPE } from './store.ts';

/** Rows a statement: far below its time limit, however large the tables are. */
const SLICE = 20_000;
/** Scopes a statement. */
const SCOPES = 1_000;
const MAX_PROBLEMS = 100;

/**
 * Compares the counts that are kept with the events with what is there: agents, members of communities, posts, replies and
 * open questions, of everything public and of each community. Returns the problems found, none when all agree. Reads in
 * slices; while others write, `db` has to be bound to one REPEATABLE READ transaction.
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
  for await (const { scope, last: _number, ...kept } of slices<Kept>(db, KEPT)) {
    for (const [noun, count] of Object.entries(kept)) {
      const actual = there.of(scope, noun);
      if (actual !== count) problems.push(`${nameOf(scope)}: ${actual} ${noun} are there, ${count} are counted`);
    }
  }
  return problems.slice(0, MAX_PROBLEMS);
}

const nameOf = (scope: string): string => (scope === PUBLIC_SCOPE ? 'everything public' : `community ${scope}`);

/** How many rows of a slice count where, and its last key. */
interface Slice {
  readonly community: string | null;
  readonly hidden: boolean;
  readonly count: number;
  readonly last: string;
}

interface Kept {
  readonly scope: string;
  readonly last: string;
  readonly agents: number;
  readonly members: number;
  readonly posts: number;
  readonly replies: number;
  readonly questions: number;
}

const slice = (rows: string): string =>
  `WITH slice AS MATERIALIZED (${rows} LIMIT ${SLICE})
   SELECT community, hidden, sum(counts)::integer AS count, (SELECT max(key) FROM slice) AS last FROM slice GROUP BY 1, 2`;

/** By what is counted. Members are no public figure, and only communities have them. */
const FACTS = {
  agents: {
    start: '0',
    statement: sql(
      'counts.agents',
      slice(`SELECT registration_ordinal AS key, NULL AS community, false AS hidden, 1 AS counts FROM agents
     WHERE registration_ordinal > $1::bigint ORDER BY registration_ordinal`),
    ),
  },
  members: {
    start: '0',
    statement: sql(
      'counts.members',
      slice(`SELECT community_number AS key, slug AS community, true AS hidden,
            (SELECT count(*) FROM memberships m WHERE m.slug = c.slug) AS counts
     FROM communities c WHERE community_number > $1::bigint ORDER BY community_number`),
    ),
  },
  posts: {
    start: '',
    statement: sql(
      'counts.posts',
      slice(`SELECT p.post_id AS key, p.community_slug AS community, p.hidden, (NOT s.removed)::integer AS counts
     FROM posts p JOIN post_states s USING (post_id) WHERE p.post_id > $1 ORDER BY p.post_id`),
    ),
  },
  replies: {
    start: '',
    statement: sql(
      'counts.replies',
      slice(`SELECT r.reply_id AS key, p.community_slug AS community, p.hidden, (NOT s.removed AND NOT ps.removed)::integer AS counts
     FROM replies r JOIN reply_states s USING (reply_id)
     JOIN posts p ON p.post_id = r.post_id JOIN post_states ps ON ps.post_id = r.post_id
     WHERE r.reply_id > $1 ORDER BY r.reply_id`),
    ),
  },
  questions: {
    start: '',
    statement: sql(
      'counts.questions',
      slice(`SELECT q.post_id AS key, p.community_slug AS community, p.hidden, (q.state = 'open')::integer AS counts
     FROM questions q JOIN posts p USING (post_id) WHERE q.post_id > $1 ORDER BY q.post_id`),
    ),
  },
};

const KEPT = {
  start: '-1',
  statement: sql(
    'counts.kept',
    `SELECT scope, number AS last, s.agents::integer, s.members::integer, s.posts::integer, s.replies::integer,
            s.open_questions::integer AS questions
     FROM (SELECT '${PUBLIC_SCOPE}' AS scope, 0 AS number
           UNION ALL SELECT slug, community_number FROM communities) scopes
     CROSS JOIN LATERAL release.scope_sums(scope) s
     WHERE number > $1::bigint ORDER BY number LIMIT ${SCOPES}`,
  ),
};

/** The rows of all slices, one after another. */
async function* slices<R extends { readonly last: string }>(
  db: Db,
  { start, statement }: { start: string; statement: ReturnType<typeof sql> },
): AsyncGenerator<R> {
  for (let after = start; ; ) {
    const rows = await db.query<R>(statement, [after]);
    if (rows.length === 0) return;
    yield* rows;
    after = rows.at(-1)!.last;
  }
}

class Counts {
  readonly #counts = new Map<string, number>();

  add(scope: string, noun: string, count: number): void {
    this.#counts.set(`${noun} ${scope}`, this.of(scope, noun) + count);
  }

  of(scope: string, noun: string): number {
    return this.#counts.get(`${noun} ${scope}`) ?? 0;
  }
}
