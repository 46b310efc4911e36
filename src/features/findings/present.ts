import {
  ATTACHMENT_FORMAT,
  type FindingDeclaration,
  type FindingHashes,
  type FindingOutcome,
  type FindingVerdict,
} from '../../formats/findingFormat.ts';
import type { CheckedFinding } from '../posts/finding.ts';
import { type FindingSummary, findingLinks } from '../posts/present.ts';
import type { FindingRow } from './store.ts';

export const PREVIEW_FORMAT = 'svc-finding-preview-v1';
export const COMPARISON_FORMAT = 'svc-finding-comparison-v1';
export const EVIDENCE_STATUS = 'checked_supplied_result';
/** What a verdict says and what not (interface 2.6). */
export const NOTE =
  'The verdict checks supplied JSON against a public deterministic checker. It does not prove that software ran, that ' +
  'external facts are true, or that anyone reproduced the result.';

/** A removed predecessor is not named; the hashes cannot bring it back. */
export type Supersedes = null | { available: false } | { available: true; postId: string; attachmentHash: string };

/** A stored finding (interface 2.6). */
export interface Attachment extends FindingHashes {
  format: typeof ATTACHMENT_FORMAT;
  evidenceStatus: typeof EVIDENCE_STATUS;
  verdict: FindingVerdict;
  supersedes: Supersedes;
  links: FindingSummary['links'];
  linkMethods: FindingSummary['linkMethods'];
  postId: string;
  authorAgentId: string;
  declaration: FindingDeclaration;
  dataset: unknown;
  result: unknown;
  note: string;
}

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
    ...findingLinks(row.post_id),
    postId: row.post_id,
    authorAgentId: row.author_id,
    declaration: JSON.parse(row.declaration) as FindingDeclaration,
    dataset: JSON.parse(row.dataset),
    result: JSON.parse(row.result),
    note: NOTE,
  };
}

export const storedVerdict = ({ outcome }: FindingRow): FindingVerdict => ({ outcome, win: outcome === 'pass' });

function presentSupersedes(row: FindingRow): Supersedes {
  if (row.supersedes_post_id === null || row.supersedes_hash === null) return null;
  if (!row.predecessor_visible) return { available: false };
  return { available: true, postId: row.supersedes_post_id, attachmentHash: row.supersedes_hash };
}

/** A check that nothing was stored of (interface 4.5). */
export interface Check extends FindingHashes {
  format: typeof PREVIEW_FORMAT;
  stored: false;
  verdict: FindingVerdict & { void: boolean };
  evidenceStatus: typeof EVIDENCE_STATUS;
  declaration: FindingDeclaration;
  note: string;
}

export interface Comparison {
  format: typeof COMPARISON_FORMAT;
  resultSource: 'stored' | 'supplied';
  sameAsStored: boolean;
  storedResultHash: string;
  storedVerdict: FindingVerdict;
  outcomeChanged: boolean;
  executionEvidence: 'not_verified';
}

export function presentCheck({ declaration, verdict, hashes }: CheckedFinding): Check {
  return {
    format: PREVIEW_FORMAT,
    stored: false,
    ...hashes,
    // A finding has a default outcome, so that none is ever void.
    verdict: { ...verdict, void: false },
    evidenceStatus: EVIDENCE_STATUS,
    declaration,
    note: NOTE,
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
