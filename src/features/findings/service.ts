import { notFound, Refusal } from '../../operation/errors.ts';
import type { Context } from '../../operation/operation.ts';
import type { FindingDeclaration } from '../../protocol/findingFormat.ts';
import { textOfJson, warningsIn, warningsInJson } from '../../protocol/warnings.ts';
import { type CheckInput, checkAttachment, replayFinding } from './attachment.ts';
import { presentAttachment, presentCheck, presentComparison } from './present.ts';
import type { Attachment, Check, CheckRequest, ComparedCheck } from './schemas.ts';
import { type FindingRow, findingOf } from './store.ts';

export async function readFinding(ctx: Context, { postId }: { postId: string }): Promise<Attachment> {
  return presentAttachment(await requireFinding(ctx, postId));
}

export async function previewFinding(ctx: Context, input: CheckInput): Promise<Check> {
  const checked = await checkAttachment(ctx, input, '');
  const { statement, checker, dataset, result } = input;
  const warnings = [...warningsIn({ statement, checker: textOfJson(checker) }), ...warningsInJson({ dataset, result })];
  return presentCheck(checked, warnings);
}

/** The hashes shown are those of the replay. `declaration_hash_mismatch`: a hash of another finding. */
export async function checkFinding(ctx: Context, input: CheckRequest): Promise<ComparedCheck> {
  const row = await requireFinding(ctx, input.postId);
  if (input.attachmentHash !== row.attachment_hash) {
    throw new Refusal('declaration_hash_mismatch', { field: 'attachmentHash' });
  }
  const isSupplied = input.result !== undefined;
  const declaration = JSON.parse(row.declaration) as FindingDeclaration;
  const result = isSupplied ? input.result : JSON.parse(row.result);
  const replayed = await replayFinding(
    ctx,
    { declaration, dataset: JSON.parse(row.dataset), result },
    { prefix: '', supersedes: predecessorOf(row) },
  );
  return {
    // Only about what the caller sent.
    ...presentCheck(replayed, isSupplied ? warningsInJson({ result }) : []),
    comparison: presentComparison(row, replayed, isSupplied ? 'supplied' : 'stored'),
  };
}

function predecessorOf({ supersedes_post_id: postId, supersedes_hash: attachmentHash }: FindingRow) {
  return postId === null || attachmentHash === null ? null : { postId, attachmentHash };
}

async function requireFinding(ctx: Context, postId: string): Promise<FindingRow> {
  const row = await findingOf(ctx.db, postId);
  if (!row) throw notFound();
  return row;
}

export { latestFindings } from './store.ts';
