import { effect } from '../../kernel/effect.ts';
import { type Db, sql } from '../../platform/postgres/postgres.ts';
import { WRITE_POST } from '../posts/service.ts';

/** A version of the constitution after the first: an amendment that was ratified. */
export interface VersionRow {
  readonly version: number;
  readonly hash: string;
  readonly post_id: string;
  readonly ratified_at: Date;
}

const RATIFIED = `
  SELECT base_version + 1 AS version, proposed_hash AS hash, post_id, resolved_at AS ratified_at
  FROM amendments WHERE state = 'ratified'
  UNION ALL
  SELECT (d.amendment).base_version + 1, (d.amendment).proposed_hash, (d.amendment).post_id, (d.amendment).closes_at
  FROM release.due_amendments($1) d WHERE d.outcome = 'ratified'`;
/** With the last end that has come and whose outcome is not stored: what is told of it may have to wait for ballots. */
const withDue = (versions: string): string => `
  SELECT v.*, due.at AS due FROM (SELECT max(closes_at) AS at FROM amendments WHERE state = 'voting' AND closes_at <= $1) due
  LEFT JOIN LATERAL (${versions}) v ON true`;
const VERSIONS = sql('governance.versions', `${withDue(RATIFIED)} ORDER BY v.version`);
const LATEST_VERSION = sql(
  'governance.latestVersion',
  withDue(`SELECT * FROM (${RATIFIED}) r ORDER BY version DESC LIMIT 1`),
);
const TEXT_BY_HASH = sql(
  'governance.textByHash',
  `SELECT a.proposed_text FROM amendments a
   WHERE a.proposed_hash = $1
     AND (a.state = 'ratified' OR EXISTS (SELECT FROM release.visible_posts(NULL) v WHERE v.post_id = a.post_id)) LIMIT 1`,
);
const SETTLE = sql('governance.settle', 'SELECT release.settle_amendments($1) AS settled');
const LOCK_AMENDMENT = sql('governance.lockAmendment', 'SELECT * FROM release.lock_amendment($1, $2, $3)');

/** With `postValues`, then the amendment. */
export const CREATE_AMENDMENT = effect(
  'amendments.create',
  `release.create_amendment(${WRITE_POST}, $1, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
);
export const WRITE_VOTE = effect('amendments.writeVote', 'release.write_amendment_vote($1, $2, $3, $4, $5)');

/** Ratified versions, and since when the outcome of a vote that has ended is not stored; null when all are. */
export interface Versions {
  readonly rows: VersionRow[];
  readonly due: Date | null;
}

/** The ratified versions at a time, oldest first; the first version, which the service ships, is not among them. */
export async function versionsAt(db: Db, at: Date): Promise<Versions> {
  return versions(await db.query<VersionOrNone>(VERSIONS, [at]));
}

/** The last of them alone, if there is one. */
export async function latestVersionAt(db: Db, at: Date): Promise<Versions> {
  return versions(await db.query<VersionOrNone>(LATEST_VERSION, [at]));
}

type VersionOrNone = (VersionRow | { readonly version: null }) & { readonly due: Date | null };

const versions = (found: readonly VersionOrNone[]): Versions => ({
  rows: found.filter((row) => row.version !== null),
  due: found[0]!.due,
});

/** The text of a ratified version, or of a proposal that anybody may read. */
export async function textByHash(db: Db, hash: string): Promise<string | undefined> {
  return (await db.query<{ proposed_text: string }>(TEXT_BY_HASH, [hash]))[0]?.proposed_text;
}

/** Stores the outcome of every amendment that has ended by `at`, with its public event; returns how many. */
export async function settleAmendments(db: Db, at: Date): Promise<number> {
  return (await db.query<{ settled: number }>(SETTLE, [at]))[0]!.settled;
}

/** What decides a vote, read under the lock of the amendment. */
export interface LockedAmendment {
  /** Under vote, by the database's time under that lock. */
  readonly is_open: boolean;
  readonly votes_for: number;
  readonly votes_against: number;
  /** The vote that the voter holds. */
  readonly in_favour: boolean | null;
  /** Registered before the proposal. */
  readonly eligible: boolean;
}

/** Undefined when there is no such amendment, or it stands removed. */
export async function lockAmendment(
  db: Db,
  { postId, voterId, aheadMs }: { postId: string; voterId: string; aheadMs: number },
): Promise<LockedAmendment | undefined> {
  return (await db.query<LockedAmendment>(LOCK_AMENDMENT, [postId, voterId, aheadMs]))[0];
}
