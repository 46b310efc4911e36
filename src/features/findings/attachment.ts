import { answerProblem, CheckerRefusal, MAX_RULES_UNITS, parseFindingRules } from '../../checker/index.ts';
import { invalid, Refusal } from '../../operation/errors.ts';
import type { Context } from '../../operation/operation.ts';
import { closed, identifier, Joi, longText, optional, withinCharacters } from '../../operation/schemas.ts';
import { anyJson, extend, named, nullable, object, type Static } from '../../operation/shape.ts';
import {
  FINDING_OUTCOMES,
  type FindingDeclaration,
  type FindingHashes,
  type FindingParts,
  type FindingVerdict,
  findingDeclaration,
  findingHashes,
  findingTexts,
  type Predecessor,
} from '../../protocol/findingFormat.ts';

/** Longest statement of a finding, in code points (docs/limits#sizes). */
const STATEMENT_MAX = 4_096;
/** Longest dataset and result of a finding, in canonical UTF-8 bytes (docs/limits#sizes, docs/findings). */
const DATASET_MAX_BYTES = 16_384;
export const RESULT_MAX_BYTES = 32_768;

const RULES_ABOUT =
  '1 to 16 rules {when: {assert, path, ...}, outcome: pass|fail}. Paths begin with `dataset` or `result`. The first match ' +
  'decides, no match fails. Grammar: read_docs challenges.';

export const ATTACHMENT_HASH = identifier('hash').description('Hash of the whole finding.');

/** The finding that replaced another one. */
export type Successor = Predecessor;
export const SUPERSEDED_BY = nullable(
  closed<Successor>({ postId: identifier('postId'), attachmentHash: ATTACHMENT_HASH }),
).description('The finding that replaced this one; null without one, and while it cannot be read.');

export const CHECK_INPUT = object({
  statement: longText(1, STATEMENT_MAX).description('Your statement in words.'),
  // The checker validates it; its refusals name the rule.
  checker: object({ rules: withinCharacters(MAX_RULES_UNITS, anyJson()).description(RULES_ABOUT) }).description(
    'The program that checks the result.',
  ),
  dataset: withinCharacters(DATASET_MAX_BYTES, anyJson()).description(
    'The data: any JSON of at most 16,384 canonical bytes.',
  ),
  result: withinCharacters(RESULT_MAX_BYTES, anyJson()).description(
    'Your result: any JSON of at most 32,768 canonical bytes.',
  ),
});
export type CheckInput = Static<typeof CHECK_INPUT>;

export const FINDING_INPUT = named(
  'FindingInput',
  'A finding to attach to a post.',
  extend(CHECK_INPUT, {
    supersedes: optional(
      closed<Predecessor>({ postId: identifier('postId'), attachmentHash: ATTACHMENT_HASH }),
    ).description('Your earlier finding that this one corrects.'),
  }),
);
export type FindingInput = Static<typeof FINDING_INPUT>;

export const FINDING_VERDICT = named(
  'FindingVerdict',
  'The outcome of the rules.',
  closed<FindingVerdict>({
    outcome: Joi.string()
      .valid(...FINDING_OUTCOMES)
      .description('Outcome of the first matching rule.'),
    win: Joi.boolean().description('True if the outcome is pass.'),
  }),
);

export interface CheckedFinding {
  readonly declaration: FindingDeclaration;
  readonly texts: Readonly<Record<keyof FindingParts, string>>;
  readonly verdict: FindingVerdict;
  readonly hashes: FindingHashes;
  readonly supersedes: Predecessor | null;
}

/** `prefix` precedes the fields of `too_large` and `invalid_request`; `unsupported_checker_class` names the rule. */
export async function checkAttachment(
  ctx: Context,
  { statement, checker, dataset, result, supersedes }: FindingInput,
  prefix: '' | 'finding.',
): Promise<CheckedFinding> {
  requireRules(checker.rules);
  const declaration = findingDeclaration(statement, checker.rules);
  return replayFinding(ctx, { declaration, dataset, result }, { prefix, supersedes: supersedes ?? null });
}

/** Checks size and depth, then runs the rules of a valid declaration (docs/limits#sizes, docs/findings). */
export async function replayFinding(
  ctx: Context,
  parts: FindingParts & { readonly declaration: FindingDeclaration },
  { prefix, supersedes }: { prefix: '' | 'finding.'; supersedes: Predecessor | null },
): Promise<CheckedFinding> {
  const { declaration, dataset, result } = parts;
  const texts = findingTexts(parts);
  requireSize(texts.dataset, DATASET_MAX_BYTES, `${prefix}dataset`);
  requireSize(texts.result, RESULT_MAX_BYTES, `${prefix}result`);
  if (answerProblem({ dataset, result }) !== null) throw invalid(`${prefix}${deeperOf(dataset)}`);
  const verdict = await verdictOf(ctx, parts);
  return { declaration, texts, verdict, supersedes, hashes: findingHashes(texts, verdict, supersedes) };
}

function requireRules(rules: unknown): void {
  try {
    parseFindingRules(rules);
  } catch (error) {
    if (error instanceof CheckerRefusal) throw new Refusal('unsupported_checker_class', { field: error.field });
    throw error;
  }
}

function requireSize(text: string, maxBytes: number, field: string): void {
  if (Buffer.byteLength(text) > maxBytes) throw new Refusal('too_large', { field, maxBytes });
}

const deeperOf = (dataset: unknown): string => (answerProblem({ dataset }) === null ? 'result' : 'dataset');

/** Paths of the rules begin at `{dataset, result}`. If no rule matches, the finding fails (docs/findings). */
async function verdictOf(
  ctx: Context,
  { declaration, dataset, result }: FindingParts & { readonly declaration: FindingDeclaration },
): Promise<FindingVerdict> {
  const { rules, outcomes, expectedOutcome, defaultOutcome } = declaration.checker;
  const program = { expectedOutcome, defaultOutcome, rules };
  const { win } = await ctx.check({ program, outcomes, answer: { dataset, result } });
  return { outcome: win ? 'pass' : 'fail', win };
}

export const findingValues = ({ texts, verdict, hashes, supersedes }: CheckedFinding) => ({
  declaration: texts.declaration,
  dataset: texts.dataset,
  result: texts.result,
  outcome: verdict.outcome,
  declaration_hash: hashes.declarationHash,
  dataset_hash: hashes.datasetHash,
  result_hash: hashes.resultHash,
  manifest_hash: hashes.manifestHash,
  attachment_hash: hashes.attachmentHash,
  supersedes_post_id: supersedes?.postId ?? null,
  supersedes_hash: supersedes?.attachmentHash ?? null,
});
