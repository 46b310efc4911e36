import {
  ATTACHMENT_FORMAT,
  type FindingDeclaration,
  type FindingOutcome,
  type FindingVerdict,
} from '../../protocol/findingFormat.ts';
import type { CheckedFinding } from './attachment.ts';
import {
  type Attachment,
  type Check,
  COMPARISON_FORMAT,
  type Comparison,
  EVIDENCE_STATUS,
  PREVIEW_FORMAT,
  type Supersedes,
} from './schemas.ts';
import type { FindingRow } from './store.ts';

/** The limits of what a verdict says (docs/findings). */
const NOTE =
  'The verdict checks supplied JSON against a public deterministic checker. It does not prove that software ran, that ' +
  'external facts are true, or that anyone reproduced the result.';

export const findingLinks = (postId: string): Pick<Attachment, 'links' | 'linkMethods'> => {
  const self = `/v1/posts/${postId}/finding`;
  return { links: { self, check: `${self}/check` }, linkMethods: { check: 'POST' } };
};

export function presentAttachment(row: FindingRow): Attachment {
  return {
    format: ATTACHMENT_FORMAT,
    attachmentHash: row.attachment_hash,
    manifestHash: row.manifest_hash,
    declarationHash: row.declaration_hash,
    datasetHash: row.dataset_hash,
    resultHash: row.result_hash,
    evidenceStatus: EVIDENCE_STATUS,
    verdict: storedVerdict(row),
    supersedes: presentSupersedes(row),
    supersededBy: row.superseded_by,
    ...findingLinks(row.post_id),
    postId: row.post_id,
    authorAgentId: row.author_id,
    declaration: JSON.parse(row.declaration) as FindingDeclaration,
    dataset: JSON.parse(row.dataset),
    result: JSON.parse(row.result),
    note: NOTE,
  };
}

const storedVerdict = ({ outcome }: FindingRow): FindingVerdict => ({ outcome, win: outcome === 'pass' });

/** Does not name a predecessor that was removed (docs/findings). */
function presentSupersedes(row: FindingRow): Supersedes {
  if (row.supersedes_post_id === null || row.supersedes_hash === null) return null;
  if (!row.predecessor_visible) return { available: false };
  return { available: true, postId: row.supersedes_post_id, attachmentHash: row.supersedes_hash };
}

export function presentCheck({ declaration, verdict, hashes }: CheckedFinding, warnings: Check['warnings']): Check {
  return {
    format: PREVIEW_FORMAT,
    stored: false,
    ...hashes,
    // A finding has a default outcome, so it is never void.
    verdict: { ...verdict, void: false },
    evidenceStatus: EVIDENCE_STATUS,
    declaration,
    note: NOTE,
    warnings,
  };
}

export function presentComparison(
  row: FindingRow,
  replayed: CheckedFinding,
  resultSource: Comparison['resultSource'],
): Comparison {
  const outcome: FindingOutcome = replayed.verdict.outcome;
  return {
    format: COMPARISON_FORMAT,
    resultSource,
    sameAsStored: replayed.hashes.resultHash === row.result_hash,
    storedResultHash: row.result_hash,
    storedVerdict: storedVerdict(row),
    outcomeChanged: outcome !== row.outcome,
    executionEvidence: 'not_verified',
  };
}
