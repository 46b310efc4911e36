import { type Db, manyRows, oneRow, oneValue } from '../../platform/postgres/postgres.ts';
import { commitmentTo, type Evidence, evidenceText } from '../../protocol/logFormat.ts';
import type { ShownSubject } from './rules.ts';

/** The evidence of a write; `leaf_index` is null while it waits for a place. */
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
const placed = (condition: string): string => `
  SELECT ${COLUMNS}, l.leaf_index::float8 AS leaf_index FROM log_leaves l
  JOIN write_evidence e ON e.evidence_id = l.evidence_id AND e.accepted_at = l.accepted_at
  JOIN agents a ON a.agent_id = e.agent_id
  WHERE ${condition} ORDER BY l.leaf_index`;

const evidenceById = oneRow<EvidenceRow, [evidenceId: string]>(
  'log.evidence',
  `SELECT ${COLUMNS}, NULL AS leaf_index FROM write_evidence e JOIN agents a ON a.agent_id = e.agent_id
   WHERE e.evidence_id = $1`,
);
/**
 * The evidence with a place by the hash of its nonce, in the order of the log. Rows of others may have the same hash.
 */
export const evidenceByNonce = manyRows<EvidenceRow, [key: string]>('log.byNonce', placed('l.nonce_key = $1'));
export const evidenceBySubject = manyRows<EvidenceRow, [key: string]>('log.bySubject', placed('l.subject_key = $1'));
export const evidenceOfLeaves = manyRows<EvidenceRow, [first: number, end: number]>(
  'log.evidenceOfLeaves',
  placed('l.leaf_index >= $1 AND l.leaf_index < $2'),
);
export const pendingEvidence = manyRows<EvidenceRow, [acceptedAt: Date, agentId: string]>(
  'log.pending',
  `SELECT ${COLUMNS}, NULL AS leaf_index FROM log_pending p
   JOIN write_evidence e ON e.evidence_id = p.pending_id AND e.accepted_at = p.accepted_at
   JOIN agents a ON a.agent_id = e.agent_id WHERE p.accepted_at = $1 AND e.agent_id = $2`,
);
/** When a write of the last two days was accepted. */
export const writtenAt = oneValue<Date, [agentId: string, nonce: string]>(
  'log.writtenAt',
  'SELECT created_at FROM write_receipts WHERE agent_id = $1 AND nonce = $2',
);

/** A leaf has evidence, or the event of a moderation action, or neither if it is public. */
export interface LeafRow {
  readonly leaf_index: number;
  readonly event_id: string | null;
  readonly salts: Buffer | null;
  readonly evidence_id: string | null;
}
export const leavesBetween = manyRows<LeafRow, [first: number, end: number]>(
  'log.leaves',
  `SELECT leaf_index::float8 AS leaf_index, event_id, salts, evidence_id FROM log_leaves
   WHERE leaf_index >= $1 AND leaf_index < $2 ORDER BY leaf_index`,
);
export const actOf = oneRow<{ readonly leaf_index: number; readonly salts: Buffer }, [eventId: string]>(
  'log.act',
  'SELECT leaf_index::float8 AS leaf_index, salts FROM log_leaves WHERE event_id = $1',
);

/** `act` is the place of the action that erased the evidence; null while it waits for one. */
type Erasure = { readonly act: number | null; readonly hidden: boolean };
const erased = (condition: string): string =>
  `SELECT a.leaf_index::float8 AS act, e.hidden FROM erased_evidence x
   JOIN governance_events e ON e.event_id = x.event_id LEFT JOIN log_leaves a ON a.event_id = x.event_id COLLATE "default"
   WHERE ${condition}`;
export const erasureOfEvidence = oneRow<Erasure, [evidenceId: string]>('log.erased', erased('x.evidence_id = $1'));
export const erasureByNonce = oneRow<Erasure, [key: string]>('log.erasedByNonce', erased('x.nonce_key = $1'));

export const keyChanges = manyRows<
  { readonly public_key: string; readonly leaf_index: number | null },
  [agentId: string]
>(
  'log.keyChanges',
  'SELECT public_key, leaf_index::float8 AS leaf_index FROM agent_keys WHERE agent_id = $1 ORDER BY key_epoch',
);

export interface Visibility {
  /** Its existence is not public either. */
  readonly isHidden: boolean;
  readonly isReadable: boolean;
  /** For a challenge: false if a removal made it void. */
  readonly isScored: boolean;
  /** The place of the removal. */
  readonly removedBy: number | null;
}

const visibilities = manyRows<Visibility, [types: readonly string[], ids: readonly string[]]>(
  'log.visibilities',
  `WITH subjects AS MATERIALIZED (
     SELECT t.type, t.id, t.n, post.post_id, reply.removed AS is_reply_removed
     FROM unnest($1::text[], $2::text[]) WITH ORDINALITY t (type, id, n)
     LEFT JOIN LATERAL (
       SELECT r.post_id, s.removed FROM replies r JOIN reply_states s ON s.reply_id = r.reply_id
       WHERE t.type = 'reply' AND r.reply_id = t.id) reply ON true
     CROSS JOIN LATERAL (SELECT CASE t.type WHEN 'post' THEN t.id WHEN 'reply' THEN reply.post_id END AS post_id) post
   ), visibilities AS MATERIALIZED (
     SELECT t.*,
       CASE
         WHEN t.type IN ('post', 'reply') THEN (SELECT p.hidden FROM posts p WHERE p.post_id = t.post_id)
         WHEN t.type = 'community' THEN (SELECT c.encrypted FROM communities c WHERE c.slug = t.id)
         WHEN t.type = 'event' THEN (SELECT e.hidden FROM governance_events e WHERE e.event_id = t.id)
         ELSE false END IS NOT FALSE AS is_hidden,
       CASE
         WHEN t.type IN ('post', 'reply') THEN
           t.is_reply_removed IS NOT TRUE AND (SELECT true FROM release.visible_posts(NULL) v WHERE v.post_id = t.post_id)
         WHEN t.type = 'community' THEN (SELECT true FROM release.visible_communities(NULL) v WHERE v.slug = t.id)
         WHEN t.type = 'challenge' THEN (SELECT true FROM release.visible_challenges v WHERE v.challenge_id = t.id)
         WHEN t.type = 'feedback' THEN (SELECT true FROM release.visible_feedback v WHERE v.feedback_id = t.id)
         ELSE true END IS TRUE AS is_readable
     FROM subjects t
   )
   SELECT t.is_hidden AS "isHidden", t.is_readable AS "isReadable",
     EXISTS (SELECT FROM challenge_states s WHERE t.type = 'challenge' AND s.challenge_id = t.id AND s.settled_by IS NOT NULL)
       AS "isScored",
     CASE WHEN NOT t.is_readable THEN (
       SELECT leaf.leaf_index::float8 FROM (
         SELECT t.type, t.id
         UNION ALL SELECT 'post', t.post_id WHERE t.type = 'reply'
         UNION ALL SELECT 'community', p.community_slug FROM posts p WHERE p.post_id = t.post_id AND p.community_slug IS NOT NULL
       ) target
       CROSS JOIN LATERAL (
         SELECT e.kind, e.event_id FROM governance_events e
         WHERE e.target_type = target.type AND e.target_id = target.id COLLATE "default"
           AND e.kind IN ('remove_content', 'restore_content', 'erase_content', 'veto')
         ORDER BY e.event_id DESC LIMIT 1) act
       CROSS JOIN LATERAL (SELECT l.leaf_index FROM log_leaves l WHERE l.event_id = act.event_id COLLATE "default") leaf
       WHERE act.kind <> 'restore_content' ORDER BY act.event_id DESC LIMIT 1) END AS "removedBy"
   FROM visibilities t ORDER BY t.n`,
);

export async function visibilitiesOf(db: Db, subjects: readonly ShownSubject[]): Promise<Visibility[]> {
  return visibilities(
    db,
    subjects.map(({ type }) => type),
    subjects.map(({ id }) => id),
  );
}

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

export async function commitmentOf(db: Db, evidenceId: string): Promise<Buffer> {
  const row = await evidenceById(db, evidenceId);
  if (!row) throw new Error(`the evidence ${evidenceId} is missing`);
  return commitmentTo(row.salt, evidenceText(evidenceOf(row)));
}
