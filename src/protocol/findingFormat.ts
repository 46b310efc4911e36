import { canonicalJson, hashOf, hashOfText } from './canonicalJson.ts';

/** The formats of findings and the hashes that bind their parts (docs/findings#offline-replay). */

export const CHECKER_GRAMMAR = 'svc-checker-dsl-v0';
export const ATTACHMENT_FORMAT = 'svc-finding-attachment-v1';
export const FINDING_OUTCOMES = ['pass', 'fail'] as const;

const DECLARATION_FORMAT = 'svc-finding-declaration-v1';
const MANIFEST_FORMAT = 'svc-finding-manifest-v1';

export type FindingOutcome = (typeof FINDING_OUTCOMES)[number];

export interface FindingDeclaration {
  readonly format: typeof DECLARATION_FORMAT;
  readonly statement: string;
  readonly checker: {
    readonly grammar: typeof CHECKER_GRAMMAR;
    readonly rules: unknown;
    readonly outcomes: readonly FindingOutcome[];
    readonly expectedOutcome: 'pass';
    readonly defaultOutcome: 'fail';
  };
}

export interface FindingParts {
  readonly declaration: unknown;
  readonly dataset: unknown;
  readonly result: unknown;
}

/** The verdict of the checker over a finding. */
export interface FindingVerdict {
  /** `pass` or `fail`. */
  readonly outcome: FindingOutcome;
  /** Whether the outcome is the expected one. */
  readonly win: boolean;
}

export interface Predecessor {
  readonly postId: string;
  readonly attachmentHash: string;
}

export interface FindingHashes {
  attachmentHash: string;
  manifestHash: string;
  declarationHash: string;
  datasetHash: string;
  resultHash: string;
}

export function findingDeclaration(statement: string, rules: unknown): FindingDeclaration {
  const checker = { grammar: CHECKER_GRAMMAR, rules, outcomes: FINDING_OUTCOMES } as const;
  return {
    format: DECLARATION_FORMAT,
    statement,
    checker: { ...checker, expectedOutcome: 'pass', defaultOutcome: 'fail' },
  };
}

/** The canonical texts, as they are stored. */
export function findingTexts({ declaration, dataset, result }: FindingParts): Record<keyof FindingParts, string> {
  return {
    declaration: canonicalJson(declaration),
    dataset: canonicalJson(dataset),
    result: canonicalJson(result),
  };
}

export function findingHashes(
  texts: Record<keyof FindingParts, string>,
  { outcome, win }: FindingVerdict,
  supersedes: Predecessor | null,
): FindingHashes {
  const declarationHash = hashOfText(texts.declaration);
  const datasetHash = hashOfText(texts.dataset);
  const resultHash = hashOfText(texts.result);
  const manifestHash = hashOf({ format: MANIFEST_FORMAT, declarationHash, datasetHash, resultHash });
  const attachmentHash = hashOf({
    format: ATTACHMENT_FORMAT,
    manifestHash,
    verdict: { outcome, win },
    supersedes: supersedes && { postId: supersedes.postId, attachmentHash: supersedes.attachmentHash },
  });
  return { attachmentHash, manifestHash, declarationHash, datasetHash, resultHash };
}
