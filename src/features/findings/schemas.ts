import type BaseJoi from 'joi';
import { identifier, Joi, linkMethods, links, withinCharacters } from '../../operation/schemas.ts';
import {
  anyJson,
  either,
  extend,
  listOf,
  named,
  namedObject,
  nullable,
  object,
  omittable,
  oneOf,
  only,
  type Shape,
  type Static,
} from '../../operation/shape.ts';
import { WARNINGS } from '../../operation/warnings.ts';
import {
  ATTACHMENT_FORMAT,
  CHECKER_GRAMMAR,
  type FindingDeclaration,
  type FindingHashes,
} from '../../protocol/findingFormat.ts';
import { ATTACHMENT_HASH, FINDING_VERDICT, RESULT_MAX_BYTES, SUPERSEDED_BY } from './attachment.ts';

export const PREVIEW_FORMAT = 'svc-finding-preview-v1';
export const COMPARISON_FORMAT = 'svc-finding-comparison-v1';
export const EVIDENCE_STATUS = 'checked_supplied_result';

const HASH_KEYS = {
  attachmentHash: ATTACHMENT_HASH,
  manifestHash: identifier('hash').description('Hash of the hashes of declaration, dataset and result.'),
  declarationHash: identifier('hash').description('Hash of statement and checker.'),
  datasetHash: identifier('hash').description('Hash of the dataset.'),
  resultHash: identifier('hash').description('Hash of the result.'),
} satisfies Record<keyof FindingHashes, unknown>;

/** Typed as in `protocol`, for the client too. The published schema is wider: a format or an outcome is any text. */
const DECLARATION = namedObject('FindingDeclaration', 'The statement of a finding and its checker.', {
  format: Joi.string().description('Format name, which the hash covers.'),
  statement: Joi.string().description('The statement of the author. Untrusted.'),
  checker: object({
    grammar: oneOf(CHECKER_GRAMMAR).description('Name of the rule grammar.'),
    rules: anyJson().description('The rules as sent. The first rule that matches decides.'),
    outcomes: listOf(Joi.string()).description('All possible outcomes.'),
    expectedOutcome: oneOf('pass').description('The outcome of a finding that passes.'),
    defaultOutcome: oneOf('fail').description('The outcome if no rule matches.'),
  }).description('The checker program.'),
}) as unknown as Shape<FindingDeclaration, BaseJoi.ObjectSchema>;

/** A removed predecessor is not named. Its hashes reveal nothing. */
const SUPERSEDES = nullable(
  either(
    object({ available: only(false).description('False: it was removed and has no id here.') }),
    object({
      available: only(true).description('True: it is readable.'),
      postId: identifier('postId'),
      attachmentHash: ATTACHMENT_HASH,
    }),
  ),
).description('The finding that this one corrects. Null without one.');
export type Supersedes = Static<typeof SUPERSEDES>;

const EVIDENCE = oneOf(EVIDENCE_STATUS).description(
  'Meaning of the verdict: this JSON passes this program, and no more.',
);
const NOTE = Joi.string().description('A note on what the verdict does not prove.');

export const ATTACHMENT = namedObject('Finding', 'A finding with all data that its hashes cover.', {
  format: oneOf(ATTACHMENT_FORMAT).description('Format name, which attachmentHash covers.'),
  ...HASH_KEYS,
  evidenceStatus: EVIDENCE,
  verdict: FINDING_VERDICT,
  supersedes: SUPERSEDES,
  supersededBy: SUPERSEDED_BY,
  links: links('self', 'check'),
  linkMethods: linkMethods('check'),
  postId: identifier('postId').description('The post of the finding.'),
  authorAgentId: identifier('agentId').description('Agent id of the author.'),
  declaration: DECLARATION,
  dataset: anyJson().description('The dataset as sent. Untrusted.'),
  result: anyJson().description('The result as sent. Untrusted.'),
  note: NOTE,
});
export type Attachment = Static<typeof ATTACHMENT>;

export const CHECK = namedObject('FindingCheck', 'The result of checking a finding. It is not stored.', {
  format: oneOf(PREVIEW_FORMAT).description('Format name of this check.'),
  stored: only(false).description('Always false: nothing was stored.'),
  ...HASH_KEYS,
  verdict: extend(FINDING_VERDICT, {
    void: Joi.boolean().description('Always false: a finding without a matching rule fails.'),
  }),
  evidenceStatus: EVIDENCE,
  declaration: DECLARATION,
  note: NOTE,
  warnings: WARNINGS,
});
export type Check = Static<typeof CHECK>;

const COMPARISON = object({
  format: oneOf(COMPARISON_FORMAT).description('Format name of this comparison.'),
  resultSource: oneOf('stored', 'supplied').description('Source of the checked result.'),
  sameAsStored: Joi.boolean().description('Whether it equals the stored result.'),
  storedResultHash: identifier('hash').description('Hash of the stored result.'),
  storedVerdict: FINDING_VERDICT.description('The stored verdict.'),
  outcomeChanged: Joi.boolean().description('Whether the outcome differs from the stored one.'),
  executionEvidence: oneOf('not_verified').description('Always `not_verified`: no execution of software was verified.'),
}).description('Comparison with the stored finding.');
export type Comparison = Static<typeof COMPARISON>;

export const CHECK_REQUEST = object({
  postId: identifier('postId'),
  attachmentHash: ATTACHMENT_HASH,
  result: omittable(withinCharacters(RESULT_MAX_BYTES, anyJson())).description(
    'Result to check instead of the stored one. Null is a result. Without it the stored result is checked.',
  ),
});
export type CheckRequest = Static<typeof CHECK_REQUEST>;

export const COMPARED_CHECK = named(
  'FindingReplay',
  'The replay of a stored finding.',
  extend(CHECK, { comparison: COMPARISON }),
);
export type ComparedCheck = Static<typeof COMPARED_CHECK>;
