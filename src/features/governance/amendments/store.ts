import { type Db, manyRows, OWN_CONNECTION, oneRow, oneValue, sql } from '../../../platform/postgres/postgres.ts';
import { effect } from '../../../recording/effect.ts';
import { type FirstVersion, firstVersion, isShipped } from './firstVersion.ts';
import type { StoredAmendment } from './present.ts';
import type { Tally } from './rules.ts';

export interface VersionRow {
  readonly version: number;
  readonly hash: string;
  readonly post_id: string;
  readonly ratified_at: Date;
}

/** `due` is the latest end of a vote without a stored outcome; null if all are stored. */
export interface Versions {
  readonly rows: VersionRow[];
  readonly due: Date | null;
  readonly first: FirstVersion;
}

interface DueAndFirst {
  readonly due: Date | null;
  readonly first_hash: string | null;
}
type VersionOrNone = (VersionRow | { readonly version: null }) & DueAndFirst;
export type StoredVersion = (Pick<VersionRow, 'version' | 'hash'> | { readonly version: null }) & DueAndFirst;

const storedVersions = manyRows<VersionOrNone, [at: Date]>(
  'amendments.versions',
  `SELECT v.version, v.hash, v.post_id, v.ratified_at, due.at AS due, release.first_constitution() AS first_hash
   FROM (SELECT max(closes_at) AS at FROM amendments WHERE state = 'voting' AND closes_at <= $1) due
   LEFT JOIN (
     SELECT base_version + 1 AS version, proposed_hash AS hash, post_id, resolved_at AS ratified_at
     FROM amendments WHERE state = 'ratified') v ON true
   ORDER BY v.version`,
);
const latestVersion = manyRows<VersionOrNone, [at: Date]>(
  'amendments.latestVersion',
  'SELECT version, hash, post_id, ratified_at, due, first_hash FROM release.latest_version($1)',
);

const toVersions = (found: readonly VersionOrNone[]): Versions => ({
  rows: found.filter((row) => row.version !== null),
  due: found[0]!.due,
  first: firstVersion(found[0]!.first_hash),
});

export const versionsAt = async (db: Db, at: Date) => toVersions(await storedVersions(db, at));

export const latestVersionAt = async (db: Db, at: Date) => toVersions(await latestVersion(db, at));

const firstHash = oneValue<string | null>('amendments.first', 'SELECT release.first_constitution() AS hash');

export const firstVersionOf = async (db: Db): Promise<FirstVersion> => firstVersion((await firstHash(db))!);

/** How many amendments under vote have their quorum, for an alarm. */
export const amendmentsAtQuorum = oneValue<number>(
  'amendments.atQuorum',
  `SELECT count(*)::integer AS amendments FROM amendments WHERE state = 'voting' AND votes_for + votes_against >= quorum`,
);

const amendmentText = oneValue<string, [hash: string]>(
  'amendments.textByHash',
  `SELECT a.proposed_text FROM amendments a
   WHERE a.proposed_hash = $1 AND a.proposed_text <> ''
     AND (a.state = 'ratified' OR EXISTS (SELECT FROM release.visible_posts(NULL) v WHERE v.post_id = a.post_id)) LIMIT 1`,
);

export async function textByHash(db: Db, hash: string): Promise<string | undefined> {
  if (isShipped(hash)) {
    const first = await firstVersionOf(db);
    if (first.hash === hash) return first.text;
  }
  return amendmentText(db, hash);
}

const visibleAmendments = manyRows<{ post_id: string; amendment: StoredAmendment }, [postIds: readonly string[]]>(
  'amendments.stored',
  'SELECT post_id, amendment FROM release.visible_posts(NULL) WHERE post_id = ANY ($1) AND amendment IS NOT NULL',
);

/** Returns the stored amendments of some posts by post id, without those of removed posts. */
export async function storedAmendments(
  db: Db,
  postIds: readonly string[],
): Promise<ReadonlyMap<string, StoredAmendment>> {
  const rows = await visibleAmendments(db, postIds);
  return new Map(rows.map(({ post_id, amendment }) => [post_id, amendment]));
}

const AWAIT = sql('amendments.await', 'SELECT release.await_amendments($1, $2)');

export async function awaitAmendments(db: Db, at: Date, aheadMs: number): Promise<void> {
  await db.query(AWAIT, [at, aheadMs], OWN_CONNECTION);
}

export interface DueAmendment extends Tally {
  readonly proposedHash: string;
}

export const dueAmendments = manyRows<DueAmendment, [at: Date]>(
  'amendments.due',
  `SELECT post_id AS "postId", base_version AS "baseVersion", proposed_hash AS "proposedHash", votes_for AS "votesFor",
          votes_against AS "votesAgainst", quorum, closes_at AS "closesAt", is_removed AS "isRemoved",
          is_base_replaced AS "isBaseReplaced"
   FROM release.due_amendments($1)`,
);

export const WRITE_VOTE = effect('amendments.writeVote', 'release.write_amendment_vote', {
  post_id: 'text',
  voter_id: 'text',
  held: 'boolean',
  in_favour: 'boolean',
  at: 'timestamptz',
});

export interface LockedAmendment {
  /** Whether the vote is open by the database's time under the lock. */
  readonly is_open: boolean;
  readonly votes_for: number;
  readonly votes_against: number;
  readonly in_favour: boolean | null;
  readonly registered_at: Date;
  readonly proposed_at: Date;
}

export const lockAmendment = oneRow<LockedAmendment, [postId: string, voterId: string, aheadMs: number]>(
  'amendments.lock',
  'SELECT * FROM release.lock_amendment($1, $2, $3)',
);
