import { type Db, type Postgres, sql } from '../../platform/postgres/postgres.ts';
import { isPublicCommunity } from '../communities/service.ts';
import type { StoredVersion } from '../governance/amendments/constitution.ts';
import type { Pulse } from './schemas.ts';

/** The scope of everything public; a community's is its slug. */
export const PUBLIC_SCOPE = '';

/** The last day is summed anew where its first minute or the version of the sums is not that of $2. */
const PULSE = sql(
  'overview.pulse',
  `SELECT now.agents::integer, now.posts::integer, now.replies::integer, now.open_questions::integer AS "openQuestions",
          day.sums, CASE WHEN day.sums IS DISTINCT FROM $2 THEN to_json(release.recent_totals($1)) END AS "lastDay",
          open.count AS "openChallenges", pool.amount AS pool, latest.version, latest.hash, latest.due,
          latest.first_hash
   FROM release.public_sums() now, concat_ws(' ', release.minute_of($1), now.version) day (sums),
        release.open_challenges($1) open, release.karma_pool_balance() pool (amount), release.latest_version($1) latest`,
);
const OWN = sql(
  'overview.own',
  `SELECT coalesce(i.unread, 0) AS unread, k.grace + k.main AS available,
          k.grace + k.main + k.escrowed_grace + k.escrowed_main AS balance
   FROM release.karma_figures($1, $2) k LEFT JOIN release.inbox_unread($1) i ON true`,
);
const TOTALS = sql('overview.totals', 'SELECT now.agents::integer, now.posts::integer FROM release.public_sums() now');
const COPY = sql(
  'overview.copy',
  `SELECT a.body FROM aggregates a
   WHERE a.scope = $1 AND a.version = (SELECT version FROM release.scope_sums($1))
     AND (a.valid_until IS NULL OR a.valid_until > $2)`,
);
const VERSION = sql('overview.version', 'SELECT version FROM release.scope_sums($1)');
/** With the start of the server, because one that takes over may count anew. */
const DIGEST_VERSION = sql(
  'overview.digestVersion',
  `SELECT concat_ws(' ', pg_postmaster_start_time(), n.version) AS version FROM release.scope_sums($1) n
   WHERE ${isPublicCommunity('$1')}`,
);
/** What was read before something went is kept no more, even where that would come back to a row that was deleted for good. */
const KEEP = sql(
  'overview.keep',
  `INSERT INTO aggregates AS a (scope, version, body, valid_until) SELECT $1, $2, $3, $4
   WHERE (SELECT version FROM release.scope_sums($1)) = $2
     AND ($1 = '' OR EXISTS (SELECT FROM community_states s WHERE s.slug = $1 AND NOT s.removed))
   ON CONFLICT (scope) DO UPDATE
   SET version = EXCLUDED.version, body = EXCLUDED.body, valid_until = EXCLUDED.valid_until
   WHERE a.version <= EXCLUDED.version`,
);
/** Whoever erases holds it until that is seen. */
const LOCK = sql('overview.lock', 'SELECT release.lock_aggregates()');
const DROP = sql('overview.drop', 'DELETE FROM aggregates WHERE scope = $1');
const TAKE_STALE = sql(
  'overview.takeStale',
  `DELETE FROM stale_aggregates WHERE scope IN (
     SELECT scope FROM stale_aggregates ORDER BY scope LIMIT $1 FOR UPDATE SKIP LOCKED
   ) RETURNING scope`,
);

/** What the pulse shows of the forum. */
export interface PulseFigures
  extends Pick<Pulse, 'agents' | 'posts' | 'replies' | 'openQuestions' | 'openChallenges' | 'lastDay'> {
  /** Micro-karma. */
  readonly pool: bigint;
  readonly constitution: StoredVersion;
}

/** The sums of a last day, and the version and minute that they stand for. */
interface Day {
  readonly sums: string;
  readonly lastDay: Pulse['lastDay'];
}

type PulseRow = Omit<PulseFigures, 'pool' | 'constitution' | 'lastDay'> &
  StoredVersion & { readonly pool: string; readonly sums: string; readonly lastDay: Pulse['lastDay'] | null };

/** The last one that each database answered. */
const days = new WeakMap<Db, Day>();

/** Public sums, ever and in the 24 hours before `at`, and what there is at that time. */
export async function pulseAt(db: Db, at: Date): Promise<PulseFigures> {
  const database = db.origin ?? db;
  const kept = days.get(database);
  const row = (await db.query<PulseRow>(PULSE, [at, kept?.sums ?? null]))[0]!;
  const lastDay = row.lastDay ?? kept!.lastDay;
  if (row.lastDay) days.set(database, { sums: row.sums, lastDay });
  return { ...row, lastDay, pool: BigInt(row.pool), constitution: row };
}

/** What waits for an agent, and its micro-karma; undefined for one without an account. */
export async function ownPulse(
  db: Db,
  agentId: string,
  at: Date,
): Promise<{ unread: number; balance: bigint; available: bigint } | undefined> {
  const [row] = await db.query<{ unread: number; balance: string; available: string }>(OWN, [agentId, at]);
  return row && { unread: row.unread, balance: BigInt(row.balance), available: BigInt(row.available) };
}

/** How many agents and public posts there are. */
export async function publicTotals(db: Db): Promise<{ agents: number; posts: number }> {
  return (await db.query<{ agents: number; posts: number }>(TOTALS))[0]!;
}

/**
 * A stored digest or briefing is given out only while nothing has happened since and its time is not over (docs/agents#pulse):
 * the copy of a scope, else undefined.
 */
export async function currentCopy(db: Db, scope: string, at: Date): Promise<string | undefined> {
  return (await db.query<{ body: string }>(COPY, [scope, at]))[0]?.body;
}

/** Read before the content that it stands for: what happens in between makes the copy stale, never wrong. */
export async function scopeVersion(db: Db, scope: string): Promise<string> {
  return (await db.query<{ version: string }>(VERSION, [scope]))[0]!.version;
}

/** The version of all that happened in a public community; null for any other. */
export async function digestVersion(db: Db, slug: string): Promise<string | null> {
  return (await db.query<{ version: string }>(DIGEST_VERSION, [slug]))[0]?.version ?? null;
}

/**
 * Keeps a copy, unless a newer one is there or something has happened in its scope since it was computed; what is just being
 * erased has happened before.
 */
export async function keepCopy(
  db: Postgres,
  copy: { scope: string; version: string; body: string; validUntil: Date | null },
): Promise<void> {
  await db.inTransaction(async (transaction) => {
    await transaction.query(LOCK);
    await transaction.query(KEEP, [copy.scope, copy.version, copy.body, copy.validUntil]);
  });
}

/** Of a scope that has none any more. */
export async function dropCopy(db: Db, scope: string): Promise<void> {
  await db.query(DROP, [scope]);
}

/** Takes up to `limit` scopes whose copies are stale; their marks are gone. */
export async function takeStale(db: Db, limit: number): Promise<string[]> {
  return (await db.query<{ scope: string }>(TAKE_STALE, [limit])).map((row) => row.scope);
}
