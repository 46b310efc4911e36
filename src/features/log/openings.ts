import { notFound } from '../../operation/errors.ts';
import type { Context } from '../../operation/operation.ts';
import { encodeBase64url } from '../../platform/codec/text.ts';
import type { Db } from '../../platform/postgres/postgres.ts';
import { evidenceText, parseLeaf } from '../../protocol/logFormat.ts';
import { publishedCheckpoint } from '../../recording/logTiles.ts';
import { readEvent } from '../governance/moderation/service.ts';
import { entryAt, proofOf } from './proofs.ts';
import { isShownEvent, type ShownSubject, shownSubject } from './rules.ts';
import type { Entry } from './schemas.ts';
import { delayOf, factsOf, reasonSalt } from './service.ts';
import {
  type EvidenceRow,
  erasureOfEvidence,
  evidenceOf,
  evidenceOfLeaves,
  type LeafRow,
  leavesBetween,
  type Visibility,
  visibilitiesOf,
} from './store.ts';

type Opening = Pick<Entry, 'salt' | 'evidence' | 'reason' | 'withheld' | 'availableAt' | 'act'>;

/** Opens leaves from `first` to before `end` (docs/log#openings), but no write at or after `unpublished`. */
export async function openingsBetween(
  ctx: Context,
  first: number,
  end: number,
  unpublished = Number.POSITIVE_INFINITY,
): Promise<Opening[]> {
  const [leaves, rows] = await Promise.all([leavesBetween(ctx.db, first, end), evidenceOfLeaves(ctx.db, first, end)]);
  const leafAt = new Map(leaves.map((leaf) => [leaf.leaf_index, leaf]));
  const written = await writtenOpenings(ctx, rows, unpublished);
  const indexes = Array.from({ length: end - first }, (_, n) => first + n);
  return Promise.all(indexes.map(async (index) => written.get(index) ?? plainOpening(ctx, leafAt.get(index))));
}

/** Adds `gone` to a leaf without opening. Registrations and keys need none. */
export function openingOf(entry: Buffer, opening: Opening): Opening {
  const { kind } = parseLeaf(entry) ?? {};
  const isClosed = kind === 'write' || kind === 'act';
  return isClosed && Object.keys(opening).length === 0 ? { withheld: 'gone' } : opening;
}

async function plainOpening(ctx: Context, leaf: LeafRow | undefined): Promise<Opening> {
  if (leaf?.event_id) {
    const { reason: words } = await readEvent(ctx, leaf.event_id);
    return { reason: { salt: reasonSalt(leaf.salts!), text: words } };
  }
  return leaf?.evidence_id ? withoutEvidence(ctx.db, leaf.evidence_id) : {};
}

/** For evidence that was erased or lost (docs/log#openings). What was erased in secret places stays private. */
async function withoutEvidence(db: Db, evidenceId: string): Promise<Opening> {
  const erased = await erasureOfEvidence(db, evidenceId);
  if (!erased) return { withheld: 'gone' };
  if (erased.hidden) return { withheld: 'private' };
  return { withheld: 'erased', ...(erased.act === null ? {} : { act: String(erased.act) }) };
}

async function writtenOpenings(
  ctx: Context,
  rows: readonly EvidenceRow[],
  unpublished: number,
): Promise<Map<number, Opening>> {
  const subjects = new Map(rows.map((row) => [row, shownSubject(ctx.logRule(row.operation), factsOf(row))]));
  const shown = [...subjects.values()].filter((subject) => subject !== undefined);
  const visibilities = shown.length === 0 ? [] : await visibilitiesOf(ctx.db, shown);
  const visibilityOf = new Map(shown.map((subject, n) => [subject, visibilities[n]!]));
  return new Map(
    rows.map((row) => {
      const subject = subjects.get(row);
      const withheld: Opening | undefined = subject
        ? reasonToWithhold(row, subject, visibilityOf.get(subject)!)
        : { withheld: 'private' };
      return [row.leaf_index!, withheld ?? openedOrDelayed(ctx, row, unpublished)];
    }),
  );
}

/**
 * Until a signed request is published, its entry looks like a private one with a time (docs/log#delayed-publication).
 */
function openedOrDelayed(ctx: Context, row: EvidenceRow, unpublished: number): Opening {
  const delayed = delayOf(ctx, row);
  if (delayed || row.leaf_index! >= unpublished) return { withheld: 'private', ...delayed };
  return { salt: encodeBase64url(row.salt), evidence: evidenceText(evidenceOf(row)) };
}

/** The reason to withhold a write from the public (docs/log#openings), or undefined. */
function reasonToWithhold(row: EvidenceRow, { type }: ShownSubject, visibility: Visibility): Opening | undefined {
  const { isHidden, isReadable, isScored, removedBy } = visibility;
  const isSecret = row.operation === 'challenge.submit' && !isScored;
  if (isHidden || isSecret || (type === 'event' && !isShownEvent(factsOf(row)))) return { withheld: 'private' };
  if (isReadable) return undefined;
  return { withheld: 'removed', ...(removedBy === null ? {} : { act: String(removedBy) }) };
}

/** Reads a leaf with what opens it (docs/log#openings). Throws `not_found` beyond the published head. */
export async function readEntry(ctx: Context, { index: text }: { index: string }): Promise<Entry> {
  const index = Number(text);
  const checkpoint = await publishedCheckpoint(ctx.db);
  if (!checkpoint || index >= checkpoint.size) throw notFound('beyond the head');
  const [entry, tlogProof, [opening]] = await Promise.all([
    entryAt(ctx.db, index),
    proofOf(ctx.db, index, checkpoint),
    openingsBetween(ctx, index, index + 1),
  ]);
  return { index: text, entry: String(entry), tlogProof, ...openingOf(entry, opening!) };
}
