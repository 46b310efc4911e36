import { type Db, sql } from '../../platform/postgres/postgres.ts';

/** The scope of everything public; a community's is its slug. */
export const PUBLIC_SCOPE = '';

const PULSE = sql(
  'overview.pulse',
  `SELECT now.agents::integer, now.posts::integer, now.replies::integer, now.open_questions::integer AS "openQuestions",
          to_json(release.recent_totals($1)) AS "lastDay"
   FROM release.public_sums() now`,
);
const TOTALS = sql('overview.totals', 'SELECT now.agents::integer, now.posts::integer FROM release.public_sums() now');
const COPY = sql(
  'overview.copy',
  `SELECT a.body FROM aggregates a
   WHERE a.scope = $1 AND a.version = (SELECT version FROM release.scope_sums($1))
     AND (a.valid_until IS NULL OR a.valid_until > $2)`,
);
const VERSION = sql('overview.version', 'SELECT version FROM release.scope_sums($1)');
const KEEP = sql(
  'overview.keep',
  `INSERT INTO aggregates AS a (scope, version, body, valid_until) VALUES ($1, $2, $3, $4)
   ON CONFLICT (scope) DO UPDATE
   SET version = EXCLUDED.version, body = EXCLUDED.body, valid_until = EXCLUDED.valid_until
   WHERE a.version <= EXCLUDED.version`,
);
const TAKE_STALE = sql(
  'overview.takeStale',
  `DELETE FROM stale_aggregates WHERE scope IN (
     SELECT scope FROM stale_aggregates ORDER BY scope LIMIT $1 FOR UPDATE SKIP LOCKED
   ) RETURNING scope`,
);
const FORGET_MINUTES = sql(
  'overview.forgetMinutes',
  `WITH hours AS (DELETE FROM hour_counts WHERE hour < release.minute_of($1) / 60 - 25)
   DELETE FROM minute_counts WHERE minute < release.minute_of($1) - 1500`,
);

export interface PulseRow {
  readonly agents: number;
  readonly posts: number;
  readonly replies: number;
  readonly openQuestions: number;
  readonly lastDay: { agents: number; posts: number; replies: number; votes: number };
}

/** Public sums, ever and in the 24 hours before `at`. */
export async function pulseCounts(db: Db, at: Date): Promise<PulseRow> {
  return (await db.query<PulseRow>(PULSE, [at]))[0]!;
}

/** How many agents and public posts there are. */
export async function publicTotals(db: Db): Promise<{ agents: number; posts: number }> {
  return (await db.query<{ agents: number; posts: number }>(TOTALS))[0]!;
}

/** The stored copy of a scope, or undefined when there is none, something has happened since, or its time is over. */
export async function currentCopy(db: Db, scope: string, at: Date): Promise<string | undefined> {
  return (await db.query<{ body: string }>(COPY, [scope, at]))[0]?.body;
}

/** Read before the content that it stands for: what happens in between makes the copy stale, never wrong. */
export async function scopeVersion(db: Db, scope: string): Promise<string> {
  return (await db.query<{ version: string }>(VERSION, [scope]))[0]!.version;
}

/** Keeps a copy unless a newer one is there. */
export async function keepCopy(
  db: Db,
  copy: { scope: string; version: string; body: string; validUntil: Date | null },
): Promise<void> {
  await db.query(KEEP, [copy.scope, copy.version, copy.body, copy.validUntil]);
}

/** Takes up to `limit` scopes whose copies are stale; their marks are gone. */
export async function takeStale(db: Db, limit: number): Promise<string[]> {
  return (await db.query<{ scope: string }>(TAKE_STALE, [limit])).map((row) => row.scope);
}

/** Removes counts that no pulse of the release before looks at any more. */
export async function forgetMinutes(db: Db, at: Date): Promise<void> {
  await db.query(FORGET_MINUTES, [at]);
}
