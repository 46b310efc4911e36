import { notFound } from '../../operation/errors.ts';
import type { Context } from '../../operation/operation.ts';
import { publishedCheckpoint } from '../../recording/logTiles.ts';
import { openingOf, openingsBetween } from './openings.ts';
import { entryAt, proofOf } from './proofs.ts';
import type { Entry } from './schemas.ts';

/**
 * A leaf with what opens it (docs/log#openings). What nobody may read but its writer is answered the same, whatever it is.
 * Throws `not_found` beyond the published head.
 */
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
