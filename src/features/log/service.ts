import { notFound } from '../../operation/errors.ts';
import type { Context, Facts, SignedContext } from '../../operation/operation.ts';
import { encodeBase64url, toTimestamp } from '../../platform/codec/text.ts';
import type { Db } from '../../platform/postgres/postgres.ts';
import { evidenceText } from '../../protocol/logFormat.ts';
import { parseRequestText } from '../../protocol/signing.ts';
import { type PublishedCheckpoint, publishedCheckpoint } from '../../recording/logTiles.ts';
import { readEvent } from '../governance/moderation/service.ts';
import { requirePost } from '../posts/service.ts';
import { requireReply } from '../replies/service.ts';
import { entryAt, proofOf } from './proofs.ts';
import { isShownEvent, lookupKey, nonceKey, publishedAt, subjectOf } from './rules.ts';
import type { EventProof, Proof } from './schemas.ts';
import {
  actOf,
  type EvidenceRow,
  erasureByNonce,
  evidenceByNonce,
  evidenceBySubject,
  evidenceOf,
  keyChanges,
  pendingEvidence,
  writtenAt,
} from './store.ts';

const PENDING = { state: 'pending' } as const;

/** The proof of a post that the caller may read (docs/log#proofs). Throws `not_found`, also if no evidence was kept. */
export async function provePost(ctx: Context, { postId }: { postId: string }): Promise<Proof> {
  const { author_id: authorId, created_at: createdAt } = await requirePost(ctx, postId);
  return proveSubject(ctx, postId, authorId, createdAt);
}

export async function proveReply(ctx: Context, { replyId }: { replyId: string }): Promise<Proof> {
  const { author_id: authorId, created_at: createdAt } = await requireReply(ctx, replyId);
  return proveSubject(ctx, replyId, authorId, createdAt);
}

/** The proof of the caller's own write, without a delay (docs/log#proofs, docs/log#delayed-publication). */
export async function proveWrite(ctx: SignedContext, { nonce }: { nonce: string }): Promise<Proof> {
  const { agentId } = ctx.caller;
  const isIt = (row: EvidenceRow) => row.agent_id === agentId && parseRequestText(row.signed_text)?.nonce === nonce;
  const findPlaced = async () => (await evidenceByNonce(ctx.db, nonceKey(agentId, nonce))).find(isIt);
  const row = await findPlaced();
  if (row) return proofOfRow(ctx, row);
  const erased = await erasureByNonce(ctx.db, nonceKey(agentId, nonce));
  if (erased) return { state: 'erased', ...(erased.act === null ? {} : { act: String(erased.act) }) };
  const at = await writtenAt(ctx.db, agentId, nonce);
  if (at && (await pendingEvidence(ctx.db, at, agentId)).some(isIt)) return PENDING;
  const placedMeanwhile = await findPlaced();
  if (!placedMeanwhile) throw notFound('no evidence');
  return proofOfRow(ctx, placedMeanwhile);
}

/** The proof of a public event (docs/log#proofs): its action, and the operator's write if nothing in it is hidden. */
export async function proveEvent(
  ctx: Context,
  { governanceEventId: eventId }: { governanceEventId: string },
): Promise<EventProof> {
  const { reason, targetId } = await readEvent(ctx, eventId);
  const [checkpoint, act] = await Promise.all([publishedCheckpoint(ctx.db), actOf(ctx.db, eventId)]);
  if (!checkpoint || !act || act.leaf_index >= checkpoint.size) return PENDING;
  const row = (await evidenceBySubject(ctx.db, lookupKey(eventId))).find((each) => isAbout(ctx, each, eventId));
  const isShown = row !== undefined && targetId !== null && isShownEvent(factsOf(row));
  const delayed = isShown ? delayOf(ctx, row) : undefined;
  if (delayed) return { ...PENDING, ...delayed };
  const write = isShown ? await proofOfRow(ctx, row) : { salt: null, evidence: null, tlogProof: null };
  const entry = String(await entryAt(ctx.db, act.leaf_index));
  const tlogProof = await proofOf(ctx.db, act.leaf_index, checkpoint);
  return { ...write, act: { entry, reason: { salt: reasonSalt(act.salts), text: reason }, tlogProof } };
}

/**
 * The time until which only its writer sees a signed request (docs/log#delayed-publication); undefined once it is
 * public.
 */
export function delayOf(
  { now, config }: Pick<Context, 'now' | 'config'>,
  { signed_text: signedText }: Pick<EvidenceRow, 'signed_text'>,
): { availableAt: string } | undefined {
  const at = publishedAt(signedText, config.proofDelaySeconds);
  return at > now ? { availableAt: toTimestamp(at) } : undefined;
}

/** An act has two salts: of its target, then of its reason. */
export const reasonSalt = (salts: Buffer): string => encodeBase64url(salts.subarray(salts.length / 2));

export const factsOf = ({ facts }: EvidenceRow): Facts => JSON.parse(facts) as Facts;

const isAbout = (ctx: Context, row: EvidenceRow, subject: string): boolean =>
  subjectOf(ctx.logRule(row.operation), factsOf(row)) === subject;

async function proveSubject(ctx: Context, subject: string, authorId: string, createdAt: Date): Promise<Proof> {
  const isIt = (row: EvidenceRow) => isAbout(ctx, row, subject);
  const findPlaced = async () => (await evidenceBySubject(ctx.db, lookupKey(subject))).find(isIt);
  const findPending = async () => (await pendingEvidence(ctx.db, createdAt, authorId)).find(isIt);
  // A worker may place the write between the first two statements.
  const row = (await findPlaced()) ?? (await findPending()) ?? (await findPlaced());
  if (!row) throw notFound('no evidence');
  const delayed = delayOf(ctx, row);
  return delayed ? { ...PENDING, ...delayed } : proofOfRow(ctx, row);
}

type Proven = Omit<Proof, 'state' | 'act'> & { state?: 'pending' };

async function proofOfRow(ctx: Context, row: EvidenceRow): Promise<Proven> {
  const checkpoint = await publishedCheckpoint(ctx.db);
  if (!checkpoint || row.leaf_index === null || row.leaf_index >= checkpoint.size) return PENDING;
  const keys = await provenKeys(ctx.db, row, checkpoint);
  if (!keys) return PENDING;
  return {
    salt: encodeBase64url(row.salt),
    evidence: evidenceText(evidenceOf(row)),
    tlogProof: await proofOf(ctx.db, row.leaf_index, checkpoint),
    ...(keys.length === 0 ? {} : { keys }),
  };
}

/** Up to the write's key and the change that ended it (docs/log#keys-that-were-changed). Undefined: unpublished. */
async function provenKeys(
  db: Db,
  { agent_id: agentId, public_key: publicKey }: EvidenceRow,
  checkpoint: PublishedCheckpoint,
): Promise<NonNullable<Proof['keys']> | undefined> {
  const changes = await keyChanges(db, agentId);
  const used = changes.findIndex(({ public_key: key }) => key === publicKey) + 1;
  const placed = changes.slice(0, used + 1).flatMap(({ leaf_index: index }) => index ?? []);
  const shown = placed.filter((index) => index < checkpoint.size);
  if (shown.length < used) return undefined;
  return Promise.all(
    shown.map(async (index) => ({
      entry: String(await entryAt(db, index)),
      tlogProof: await proofOf(db, index, checkpoint),
    })),
  );
}
