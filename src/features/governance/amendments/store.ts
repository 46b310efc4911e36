import { type Db, OWN_CONNECTION, sql } from '../../../platform/postgres/postgres.ts';
import { effect } from '../../../recording/effect.ts';
import { type FirstVersion, firstVersion, isShipped } from './firstVersion.ts';
import type { StoredAmendment } from './present.ts';
import type { Tally } from './rules.ts';

/** A version of the constitution after the first: an amendment that was ratified. */
export interface VersionRow {
  readonly version: number;
  readonly hash: string;
  readonly post_id: string;
  readonly ratified_at: Date;
}

/** With the last end that has come and whose outcome is not stored: what is told of it may have to wait for ballots. */
const VERSIONS = sql(
  'amendments.versions',
  `SELECT v.version, v.hash, v.post_id, v.ratified_at, due.at AS due, release.first_constitution() AS first_hash
   FROM (SELECT max(closes_at) AS at FROM amendments WHERE state = 'voting' AND closes_at <= $1) due
   LEFT JOIN (
     SELECT base_version + 1 AS version, proposed_hash AS hash, post_id, resolved_at AS ratified_at
     FROM amendments WHERE state = 'ratified') v ON true
   ORDER BY v.version`,
);
const LATEST_VERSION = sql(
  'amendments.latestVersion',
  'SELECT version, hash, post_id, ratified_at, due, first_hash FROM release.latest_version($1)',
);
const FIRST = sql('amendments.first', 'SELECT release.first_constitution() AS hash');
const TEXT_BY_HASH = sql(
  'amendments.textByHash',
  `SELECT a.proposed_text FROM amendments a
   WHERE a.proposed_hash = $1 AND a.proposed_text <> ''
     AND (a.state = 'ratified' OR EXISTS (SELECT FROM release.visible_posts(NULL) v WHERE v.post_id = a.post_id)) LIMIT 1`,
);

/** Ratified versions that are stored, and the last end that has come and whose outcome is not; null when all are. */
export interface Versions {
  readonly rows: VersionRow[];
  readonly due: Date | null;
  readonly first: FirstVersion;
}

/** The stored versions at a time, oldest first; the first version, which the service ships, stands beside them. */
export async function versionsAt(db: Db, at: Date): Promise<Versions> {
  return versions(await db.query<VersionOrNone>(VERSIONS, [at]));
}

/** The last of them alone, if there is one. */
export async function latestVersionAt(db: Db, at: Date): Promise<Versions> {
  return versions(await db.query<VersionOrNone>(LATEST_VERSION, [at]));
}

type VersionOrNone = (VersionRow | { readonly version: null }) & DueAndFirst;

/** What stands in every row. */
interface DueAndFirst {
  readonly due: Date | null;
  readonly first_hash: string | null;
}

/** What a reference needs of a row of `release.latest_version`. */
export type StoredVersion = (Pick<VersionRow, 'version' | 'hash'> | { readonly version: null }) & DueAndFirst;

const versions = (found: readonly VersionOrNone[]): Versions => ({
  rows: found.filter((row) => row.version !== null),
  due: found[0]!.due,
  first: firstVersion(found[0]!.first_hash),
});

/** The version that the forum began with. */
export async function firstVersionOf(db: Db): Promise<FirstVersion> {
  return firstVersion((await db.query<{ hash: string | null }>(FIRST))[0]!.hash);
}

/** The text of a version, or of a proposal that anybody may read. */
export async function textByHash(db: Db, hash: string): Promise<string | undefined> {
  if (isShipped(hash)) {
    const first = await firstVersionOf(db);
    if (first.hash === hash) return first.text;
  }
  return (await db.query<{ proposed_text: string }>(TEXT_BY_HASH, [hash]))[0]?.proposed_text;
}

const STORED = sql(
  'amendments.stored',
  'SELECT post_id, amendment FROM release.visible_posts(NULL) WHERE post_id = ANY ($1) AND amendment IS NOT NULL',
);
const AWAIT = sql('amendments.await', 'SELECT release.await_amendments($1, $2)');
const DUE = sql(
  'amendments.due',
  `SELECT post_id AS "postId", base_version AS "baseVersion", proposed_hash AS "proposedHash", votes_for AS "votesFor",
          votes_against AS "votesAgainst", quorum, closes_at AS "closesAt", is_removed AS "isRemoved",
          is_base_replaced AS "isBaseReplaced"
   FROM release.due_amendments($1)`,
);

/** What is stored of the amendments that some posts propose, by post; without those that stand removed. */
export async function storedAmendments(
  db: Db,
  postIds: readonly string[],
): Promise<ReadonlyMap<string, StoredAmendment>> {
  const rows = await db.query<{ post_id: string; amendment: StoredAmendment }>(STORED, [postIds]);
  return new Map(rows.map(({ post_id, amendment }) => [post_id, amendment]));
}

/** Waits for whatever was admitted on votes before their ends, which came by `at`. */
export async function awaitAmendments(db: Db, at: Date, aheadMs: number): Promise<void> {
  await db.query(AWAIT, [at, aheadMs], OWN_CONNECTION);
}

/** An amendment whose end has come and whose outcome is not stored. */
export interface DueAmendment extends Tally {
  readonly proposedHash: string;
}

export async function dueAmendments(db: Db, at: Date): Promise<DueAmendment[]> {
  return db.query<DueAmendment>(DUE, [at]);
}

const LOCK = sql('amendments.lock', 'SELECT * FROM release.lock_amendment($1, $2, $3)');
export const WRITE_VOTE = effect('amendments.writeVote', 'release.write_amendment_vote', {
  post_id: 'text',
  voter_id: 'text',
  held: 'boolean',
  in_favour: 'boolean',
  at: 'timestamptz',
});

/** What decides a vote, read under the lock of the amendment. */
export interface LockedAmendment {
  /** Under vote, by the database's time under that lock. */
  readonly is_open: boolean;
  readonly votes_for: number;
  readonly votes_against: number;
  /** The vote that the voter holds. */
  readonly in_favour: boolean | null;
  readonly registered_at: Date;
  readonly proposed_at: Date;
}

/** Undefined when there is no such amendment, or it stands removed. */
export async function lockAmendment(
  db: Db,
  { postId, voterId, aheadMs }: { postId: string; voterId: string; aheadMs: number },
): Promise<LockedAmendment | undefined> {
  return (await db.query<LockedAmendment>(LOCK, [postId, voterId, aheadMs]))[0];
}
