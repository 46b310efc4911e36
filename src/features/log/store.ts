import { commitmentTo, type Evidence, evidenceText } from '../../formats/logFormat.ts';
import { type Db, sql } from '../../platform/postgres/postgres.ts';
import type { Thing } from './rules.ts';

/** What was kept of a write, and where its leaf is; null while it waits for its place. */
export interface EvidenceRow {
  readonly evidence_id: string;
  readonly leaf_index: number | null;
  readonly accepted_at: Date;
  readonly agent_id: string;
  readonly operation: string;
  readonly salt: Buffer;
  readonly signed_text: string;
  readonly signature: string;
  readonly body: Buffer;
  readonly facts: string;
  readonly public_key: string;
}

const COLUMNS = `e.evidence_id, e.accepted_at, e.agent_id, e.operation, e.salt, e.signed_text, e.signature, e.body, e.facts,
  coalesce(e.public_key, a.signing_public_key) AS public_key`;
const JOINED = 'write_evidence e JOIN agents a ON a.agent_id = e.agent_id';

const BY_ID = sql('log.evidence', `SELECT ${COLUMNS}, NULL AS leaf_index FROM ${JOINED} WHERE e.evidence_id = $1`);
const foundBy = (column: 'nonce_key' | 'subject_key'): string => `
  SELECT ${COLUMNS}, l.leaf_index::float8 AS leaf_index FROM log_leaves l
  JOIN write_evidence e ON e.evidence_id = l.evidence_id AND e.accepted_at = l.accepted_at
  JOIN agents a ON a.agent_id = e.agent_id
  WHERE l.${column} = $1 ORDER BY l.leaf_index`;
const BY_NONCE = sql('log.byNonce', foundBy('nonce_key'));
const BY_SUBJECT = sql('log.bySubject', foundBy('subject_key'));
const OF_LEAVES = sql(
  'log.evidenceOfLeaves',
  `SELECT ${COLUMNS}, l.leaf_index::float8 AS leaf_index FROM log_leaves l
   JOIN write_evidence e ON e.evidence_id = l.evidence_id AND e.accepted_at = l.accepted_at
   JOIN agents a ON a.agent_id = e.agent_id
   WHERE l.leaf_index >= $1 AND l.leaf_index < $2 ORDER BY l.leaf_index`,
);
/** Of an agent's writes at a moment, those that wait: few at any time. */
const PENDING = sql(
  'log.pending',
  `SELECT ${COLUMNS}, NULL AS leaf_index FROM log_pending p
   JOIN write_evidence e ON e.evidence_id = p.pending_id AND e.accepted_at = p.accepted_at
   JOIN agents a ON a.agent_id = e.agent_id WHERE p.accepted_at = $1 AND e.agent_id = $2`,
);

const WRITTEN_AT = sql('log.writtenAt', 'SELECT created_at FROM write_receipts WHERE agent_id = $1 AND nonce = $2');

/** What stands at a place: the leaf's evidence, or the event of an act, or neither for what is plain. */
export interface LeafRow {
  readonly event_id: string | null;
  readonly salts: Buffer | null;
  readonly evidence_id: string | null;
}
const LEAF = sql('log.leaf', 'SELECT event_id, salts, evidence_id FROM log_leaves WHERE leaf_index = $1');
const ACT = sql('log.act', 'SELECT leaf_index::float8 AS leaf_index, salts FROM log_leaves WHERE event_id = $1');

const KEY_CHANGES = sql(
  'log.keyChanges',
  'SELECT public_key, leaf_index::float8 AS leaf_index FROM agent_keys WHERE agent_id = $1 ORDER BY key_epoch',
);

/** The keys that came in the place of an agent's first one, in their order, and where the log tells of each. */
export async function keyChanges(
  db: Db,
  agentId: string,
): Promise<readonly { readonly public_key: string; readonly leaf_index: number | null }[]> {
  return db.query<{ public_key: string; leaf_index: number | null }>(KEY_CHANGES, [agentId]);
}

export async function evidenceById(db: Db, evidenceId: string): Promise<EvidenceRow | undefined> {
  return (await db.query<EvidenceRow>(BY_ID, [evidenceId]))[0];
}

/** Those that have a place and are found by a key, in the order of the log: another's may be among them. */
export async function evidenceByKey(db: Db, by: 'nonce' | 'subject', key: string): Promise<EvidenceRow[]> {
  return db.query<EvidenceRow>(by === 'nonce' ? BY_NONCE : BY_SUBJECT, [key]);
}

/** Those whose leaves are from `first` on and before `end`. */
export async function evidenceOfLeaves(db: Db, first: number, end: number): Promise<EvidenceRow[]> {
  return db.query<EvidenceRow>(OF_LEAVES, [first, end]);
}

/** Those of an agent's writes of one moment that have no place yet. */
export async function pendingEvidence(db: Db, agentId: string, acceptedAt: Date): Promise<EvidenceRow[]> {
  return db.query<EvidenceRow>(PENDING, [acceptedAt, agentId]);
}

/** When an agent's write of the last two days was accepted. */
export async function writtenAt(db: Db, agentId: string, nonce: string): Promise<Date | undefined> {
  return (await db.query<{ created_at: Date }>(WRITTEN_AT, [agentId, nonce]))[0]?.created_at;
}

export async function leafAt(db: Db, index: number): Promise<LeafRow | undefined> {
  return (await db.query<LeafRow>(LEAF, [index]))[0];
}

/** Where an act of governance stands, and the salts behind its leaf; undefined while it waits. */
export async function actOf(
  db: Db,
  eventId: string,
): Promise<{ readonly leaf_index: number; readonly salts: Buffer } | undefined> {
  return (await db.query<{ leaf_index: number; salts: Buffer }>(ACT, [eventId]))[0];
}

export interface Standing {
  /** Not even that it is there is public. */
  readonly isHidden: boolean;
  readonly isReadable: boolean;
  /** Of a challenge. */
  readonly isScored: boolean;
  /** The place of the act that removed it. */
  readonly removedBy: number | null;
}

const STANDING = sql(
  'log.standing',
  `SELECT
     CASE $1::text
       WHEN 'post' THEN (SELECT p.hidden FROM posts p WHERE p.post_id = $2)
       WHEN 'reply' THEN (SELECT p.hidden FROM replies r JOIN posts p ON p.post_id = r.post_id WHERE r.reply_id = $2)
       WHEN 'community' THEN (SELECT c.encrypted FROM communities c WHERE c.slug = $2)
       WHEN 'event' THEN (SELECT e.hidden FROM governance_events e WHERE e.event_id = $2)
       ELSE false END IS NOT FALSE AS "isHidden",
     CASE $1::text
       WHEN 'post' THEN (SELECT true FROM release.visible_posts(NULL) v WHERE v.post_id = $2)
       WHEN 'reply' THEN (
         SELECT NOT s.removed FROM replies r JOIN reply_states s ON s.reply_id = r.reply_id
         JOIN release.visible_posts(NULL) v ON v.post_id = r.post_id WHERE r.reply_id = $2)
       WHEN 'community' THEN (SELECT true FROM release.visible_communities(NULL) v WHERE v.slug = $2)
       WHEN 'challenge' THEN (SELECT true FROM release.visible_challenges v WHERE v.challenge_id = $2)
       WHEN 'feedback' THEN (SELECT true FROM release.visible_feedback v WHERE v.feedback_id = $2)
       ELSE true END IS TRUE AS "isReadable",
     EXISTS (SELECT FROM challenge_states s WHERE $1::text = 'challenge' AND s.challenge_id = $2 AND s.settled_at IS NOT NULL)
       AS "isScored",
     (SELECT l.leaf_index::float8 FROM governance_events e JOIN log_leaves l ON l.event_id = e.event_id
      WHERE e.kind IN ('remove_content', 'veto') AND (e.target_type, e.target_id) IN (
        SELECT $1::text, $2::text
        UNION ALL SELECT 'post', r.post_id FROM replies r WHERE $1::text = 'reply' AND r.reply_id = $2
        UNION ALL SELECT 'community', p.community_slug FROM posts p WHERE p.community_slug IS NOT NULL AND p.post_id =
          CASE $1::text WHEN 'post' THEN $2 WHEN 'reply' THEN (SELECT r.post_id FROM replies r WHERE r.reply_id = $2) END)
      ORDER BY e.event_id DESC LIMIT 1) AS "removedBy"`,
);

/** Who may read a thing, as it stands now. */
export async function standingOf(db: Db, { type, id }: Thing): Promise<Standing> {
  return (await db.query<Standing>(STANDING, [type, id]))[0]!;
}

/** The evidence as whoever computed the commitment had it. */
export const evidenceOf = (row: EvidenceRow): Evidence => ({
  acceptedAt: row.accepted_at.toISOString(),
  agentId: row.agent_id,
  operation: row.operation,
  publicKey: row.public_key,
  signedText: row.signed_text,
  signature: row.signature,
  body: row.body.toString(),
  facts: JSON.parse(row.facts) as object,
});

/** The commitment to a piece of evidence, from what was kept. Throws when there is none. */
export async function commitmentOf(db: Db, evidenceId: string): Promise<Buffer> {
  const row = await evidenceById(db, evidenceId);
  if (!row) throw new Error(`the evidence ${evidenceId} is missing`);
  return commitmentTo(row.salt, evidenceText(evidenceOf(row)));
}
