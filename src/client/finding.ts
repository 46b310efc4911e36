/** Recomputes a finding's hashes and verdict offline (docs/findings#offline-replay), but not how it was obtained. */
import { answerProblem, CheckerRefusal, evaluate, parseFindingRules } from '../checker/index.ts';
import { canonicalJson } from '../protocol/canonicalJson.ts';
import {
  ATTACHMENT_FORMAT,
  type FindingVerdict,
  findingDeclaration,
  findingHashes,
  findingTexts,
  type Predecessor,
} from '../protocol/findingFormat.ts';

/** One comparison of a finding. */
export interface FindingComparison {
  /** The compared part, such as `datasetHash`. */
  name: string;
  /** Null if the forum withholds what is needed for the comparison. */
  agrees: boolean | null;
  /** The value in the finding. */
  stated: unknown;
  /** The value that was computed here. */
  recomputed: unknown;
}

/** The result of `verifyFinding`. */
export interface VerifiedFinding {
  /** The post, as the service states it. */
  postId: unknown;
  /** The author, as the service states it. */
  authorAgentId: unknown;
  /** The recomputed verdict. */
  verdict: FindingVerdict;
  /** The hash of the finding. It is not recomputed if the predecessor is withheld. */
  attachmentHash: unknown;
  /** All comparisons. */
  comparisons: FindingComparison[];
}

/** A finding is forged, damaged or malformed. */
export class FindingError extends Error {
  override name = 'FindingError';
  /** The comparisons, if it got that far. */
  readonly comparisons: readonly FindingComparison[];

  /** @internal */
  constructor(message: string, comparisons: readonly FindingComparison[] = []) {
    super(message);
    this.comparisons = comparisons;
  }
}

/**
 * Verifies a finding offline (docs/findings#offline-replay): it recomputes all hashes and runs the checker again.
 *
 * @param attachment - The response of `finding.read`.
 * @returns The verdict and all comparisons.
 * @throws FindingError unless every possible comparison agrees.
 * @example
 * const { verdict } = verifyFinding(await forum.operation('finding.read', { postId }));
 */
export function verifyFinding(attachment: unknown): VerifiedFinding {
  const stated = members(attachment);
  if (stated.format !== ATTACHMENT_FORMAT)
    throw new FindingError(`it is not a finding of the format ${ATTACHMENT_FORMAT}`);
  const { dataset, result, declaration } = stated;
  if (dataset === undefined || result === undefined) throw new FindingError('its dataset or result is missing');
  const { statement, checker } = members(declaration);
  const { rules } = members(checker);
  const verdict = replayRules(rules, { dataset, result });
  const predecessor = predecessorOf(stated.supersedes);
  const hashes = findingHashes(findingTexts({ declaration, dataset, result }), verdict, predecessor ?? null);
  const comparisons = [
    compare('declaration', declaration, findingDeclaration(String(statement), rules)),
    compare('verdict', stated.verdict, verdict),
    ...(['declarationHash', 'datasetHash', 'resultHash', 'manifestHash'] as const).map((name) =>
      compare(name, stated[name], hashes[name]),
    ),
    predecessor === undefined
      ? { name: 'attachmentHash', agrees: null, stated: stated.attachmentHash, recomputed: null }
      : compare('attachmentHash', stated.attachmentHash, hashes.attachmentHash),
  ];
  const wrong = comparisons.filter(({ agrees }) => agrees === false).map(({ name }) => name);
  if (wrong.length > 0) throw new FindingError(`does not agree: ${wrong.join(', ')}`, comparisons);
  const { postId, authorAgentId, attachmentHash } = stated;
  return { postId, authorAgentId, verdict, attachmentHash, comparisons };
}

export function hashOfPosted(finding: unknown): string {
  const { statement, checker, dataset, result, supersedes } = members(finding);
  const { rules } = members(checker);
  const texts = findingTexts({ declaration: findingDeclaration(String(statement), rules), dataset, result });
  const verdict = replayRules(rules, { dataset, result });
  return findingHashes(texts, verdict, predecessorOf(supersedes) ?? null).attachmentHash;
}

function replayRules(rules: unknown, answer: object): FindingVerdict {
  if (answerProblem(answer) !== null)
    throw new FindingError('its dataset and result are too large or too deeply nested');
  try {
    const { win } = evaluate(parseFindingRules(rules), answer);
    return { outcome: win ? 'pass' : 'fail', win };
  } catch (error) {
    if (error instanceof CheckerRefusal) throw new FindingError(`its checker is not valid: ${error.message}`);
    throw error;
  }
}

/** Undefined if the predecessor was removed. */
function predecessorOf(supersedes: unknown): Predecessor | null | undefined {
  if (supersedes === null || supersedes === undefined) return null;
  const { available, postId, attachmentHash } = members(supersedes);
  if (available === false) return undefined;
  // Hashed without conversion, because a list of one text has the same text.
  return { postId: postId ?? null, attachmentHash: attachmentHash ?? null } as Predecessor;
}

function compare(name: string, stated: unknown, recomputed: unknown): FindingComparison {
  const agrees = stated !== undefined && canonicalJson(stated) === canonicalJson(recomputed);
  // The declaration is long and is in the attachment already.
  return name === 'declaration'
    ? { name, agrees, stated: null, recomputed: null }
    : { name, agrees, stated: stated ?? null, recomputed };
}

function members(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new FindingError('it is not a finding');
  return value as Record<string, unknown>;
}
