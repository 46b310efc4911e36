import { type Db, manyRows, noRows, oneRow, oneValue, type Postgres } from '../../platform/postgres/postgres.ts';
import { isPublicCommunity } from '../communities/service.ts';
import type { StoredVersion } from '../governance/amendments/constitution.ts';
import type { Pulse } from './schemas.ts';

/** The scope of everything public. The scope of a community is its slug. */
export const PUBLIC_SCOPE = '';

export interface PulseFigures
  extends Pick<Pulse, 'agents' | 'posts' | 'replies' | 'openQuestions' | 'openChallenges' | 'lastDay'> {
  /** Micro-karma. */
  readonly pool: bigint;
  readonly constitution: StoredVersion;
}

type PulseRow = Omit<PulseFigures, 'pool' | 'constitution' | 'lastDay'> &
  StoredVersion & { readonly pool: string; readonly sums: string; readonly lastDay: Pulse['lastDay'] | null };

/** The last day is summed only if its first minute, or the version of the sums, differs from $2. */
const pulse = oneRow<PulseRow, [at: Date, knownSums: string | null]>(
  'overview.pulse',
  `SELECT now.agents::integer, now.posts::integer, now.replies::integer, now.open_questions::integer AS "openQuestions",
          day.sums, CASE WHEN day.sums IS DISTINCT FROM $2 THEN to_json(release.recent_totals($1)) END AS "lastDay",
          open.count AS "openChallenges", pool.amount AS pool, latest.version, latest.hash, latest.due,
          latest.first_hash
   FROM release.public_sums() now, concat_ws(' ', release.minute_of($1), now.version) day (sums),
        release.open_challenges($1) open, release.karma_pool_balance() pool (amount), release.latest_version($1) latest`,
);

/** For each database the sums of the last day that it returned, with the version and minute that they are of. */
const lastDays = new WeakMap<Db, { readonly sums: string; readonly lastDay: Pulse['lastDay'] }>();

export async function pulseAt(db: Db, at: Date): Promise<PulseFigures> {
  const database = db.origin ?? db;
  const known = lastDays.get(database);
  const row = (await pulse(db, at, known?.sums ?? null))!;
  const lastDay = row.lastDay ?? known!.lastDay;
  if (row.lastDay) lastDays.set(database, { sums: row.sums, lastDay });
  return { ...row, lastDay, pool: BigInt(row.pool), constitution: row };
}

/** Returns an agent's unread notifications and micro-karma, as text; undefined without an account. */
export const ownPulse = oneRow<
  { readonly unread: number; readonly balance: string; readonly available: string },
  [agentId: string, at: Date]
>(
  'overview.own',
  `SELECT coalesce(i.unread, 0) AS unread, k.grace + k.main AS available,
          k.grace + k.main + k.escrowed_grace + k.escrowed_main AS balance
   FROM release.karma_figures($1, $2) k LEFT JOIN release.inbox_unread($1) i ON true`,
);

export const publicTotals = oneRow<{ readonly agents: number; readonly posts: number }>(
  'overview.totals',
  'SELECT now.agents::integer, now.posts::integer FROM release.public_sums() now',
);

/** Returns an aggregate only if nothing happened in its scope since and its time is not over (docs/agents#pulse). */
export const currentAggregate = oneValue<string, [scope: string, at: Date]>(
  'overview.aggregate',
  `SELECT a.body FROM aggregates a
   WHERE a.scope = $1 AND a.version = (SELECT version FROM release.scope_sums($1))
     AND (a.valid_until IS NULL OR a.valid_until > $2)`,
);

/** Returns the version of a scope. Read it before the content, so that later events make an aggregate stale. */
export const scopeVersion = oneValue<string, [scope: string]>(
  'overview.version',
  'SELECT version FROM release.scope_sums($1)',
);

/** No row unless the community is public. Includes the server's start time: after a failover the count may restart. */
export const digestVersion = oneValue<string, [slug: string]>(
  'overview.digestVersion',
  `SELECT concat_ws(' ', pg_postmaster_start_time(), n.version) AS version FROM release.scope_sums($1) n
   WHERE ${isPublicCommunity('$1')}`,
);

const lockAggregates = noRows('overview.lock', 'SELECT release.lock_aggregates()');
/** Stores nothing for a removed community, where it could bring back erased text. */
const keep = noRows<[scope: string, version: string, body: string, validUntil: Date | null]>(
  'overview.keep',
  `INSERT INTO aggregates AS a (scope, version, body, valid_until) SELECT $1, $2, $3, $4
   WHERE (SELECT version FROM release.scope_sums($1)) = $2
     AND ($1 = '' OR EXISTS (SELECT FROM community_states s WHERE s.slug = $1 AND NOT s.removed))
   ON CONFLICT (scope) DO UPDATE
   SET version = EXCLUDED.version, body = EXCLUDED.body, valid_until = EXCLUDED.valid_until
   WHERE a.version <= EXCLUDED.version`,
);

/** Stores an aggregate unless its scope changed or has a newer one. An erasure holds the lock until it is visible. */
export const storeAggregate = (
  db: Postgres,
  { scope, version, body, validUntil }: { scope: string; version: string; body: string; validUntil: Date | null },
): Promise<void> =>
  db.inTransaction(async (transaction) => {
    await lockAggregates(transaction);
    await keep(transaction, scope, version, body, validUntil);
  });

export const deleteAggregate = noRows<[scope: string]>('overview.drop', 'DELETE FROM aggregates WHERE scope = $1');

/** Deletes the marks of up to `limit` scopes with stale aggregates and returns the scopes. */
export const takeStale = manyRows<{ readonly scope: string }, [limit: number]>(
  'overview.takeStale',
  `DELETE FROM stale_aggregates WHERE scope IN (
     SELECT scope FROM stale_aggregates ORDER BY scope LIMIT $1 FOR UPDATE SKIP LOCKED
   ) RETURNING scope`,
);
