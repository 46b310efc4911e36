import { evidenceText } from '../../formats/logFormat.ts';
import { notFound } from '../../kernel/errors.ts';
import type { Context } from '../../kernel/operation.ts';
import { encode } from '../../platform/codec/base64url.ts';
import { publishedCheckpoint } from '../../platform/postgres/logTiles.ts';
import type { Db } from '../../platform/postgres/postgres.ts';
import { readEvent } from '../moderation/service.ts';
import { entryAt, proofOf } from './proofs.ts';
import { isShownEvent, shownThing } from './rules.ts';
import type { Entry } from './schemas.ts';
import { factsOf, reasonSalt } from './service.ts';
import { type EvidenceRow, erasureOfEvidence, evidenceById, evidenceOf, leafAt, standingOf } from './store.ts';

type Opening = Pick<Entry, 'salt' | 'evidence' | 'reason' | 'withheld' | 'act'>;

/**
 * A leaf with what opens it (docs/log#openings). What nobody may read but its writer is answered the same, whatever it is.
 * Throws `not_found` beyond the published head.
 */
export async function readEntry(ctx: Context, { index: text }: { index: string }): Promise<Entry> {
  const index = Number(text);
  const checkpoint = await publishedCheckpoint(ctx.db);
  if (!checkpoint || index >= checkpoint.size) throw notFound('beyond the head');
  const [entry, tlogProof, opening] = await Promise.all([
    entryAt(ctx.db, index),
    proofOf(ctx.db, index, checkpoint),
    openingOf(ctx, index),
  ]);
  return { index: text, entry: String(entry), tlogProof, ...opening };
}

async function openingOf(ctx: Context, index: number): Promise<Opening> {
  const leaf = await leafAt(ctx.db, index);
  if (leaf?.event_id) {
    const { reason: words } = await readEvent(ctx, leaf.event_id);
    return { reason: { salt: reasonSalt(leaf.salts!), text: words } };
  }
  // Registrations and keys are there for everybody as they are.
  if (!leaf?.evidence_id) return {};
  const row = await evidenceById(ctx.db, leaf.evidence_id);
  if (!row) return withoutEvidence(ctx.db, leaf.evidence_id);
  const withheld = await reasonToWithhold(ctx.db, row);
  return withheld ?? { salt: encode(row.salt), evidence: evidenceText(evidenceOf(row)) };
}

/** What was erased in secret places is private as it was. */
async function withoutEvidence(db: Db, evidenceId: string): Promise<Opening> {
  const erased = await erasureOfEvidence(db, evidenceId);
  if (!erased) return { withheld: 'gone' };
  if (erased.hidden) return { withheld: 'private' };
  return { withheld: 'erased', ...(erased.act === null ? {} : { act: String(erased.act) }) };
}

/** Undefined for what everybody may read. */
async function reasonToWithhold(db: Db, row: EvidenceRow): Promise<Opening | undefined> {
  const facts = factsOf(row);
  const thing = shownThing(row.operation, facts);
  if (!thing) return { withheld: 'private' };
  const { isHidden, isReadable, isScored, removedBy } = await standingOf(db, thing);
  const isSecret = row.operation === 'challenge.submit' && !isScored;
  if (isHidden || isSecret || (thing.type === 'event' && !isShownEvent(facts))) return { withheld: 'private' };
  if (isReadable) return undefined;
  return { withheld: 'removed', ...(removedBy === null ? {} : { act: String(removedBy) }) };
}
