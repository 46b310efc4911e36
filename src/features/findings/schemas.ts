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
import { ATTACHMENT_HASH, FINDING_VERDICT, RESULT_MAX_BYTES } from './attachment.ts';

export const PREVIEW_FORMAT = 'svc-finding-preview-v1';
export const COMPARISON_FORMAT = 'svc-finding-comparison-v1';
export const EVIDENCE_STATUS = 'checked_supplied_result';

const HASH_KEYS = {
  attachmentHash: ATTACHMENT_HASH,
  manifestHash: identifier('hash').description('Hash over those of declaration, dataset and result.'),
  declarationHash: identifier('hash').description('Hash of statement and checker.'),
  datasetHash: identifier('hash').description('Hash of the dataset.'),
  resultHash: identifier('hash').description('Hash of the result.'),
} satisfies Record<keyof FindingHashes, unknown>;

/** Typed as in `protocol`, for the client too. The published schema is wider: a format or an outcome is any text. */
const DECLARATION = namedObject('FindingDeclaration', 'What a finding states, and how it is checked.', {
  format: Joi.string().description('The format that its hash covers.'),
  statement: Joi.string().description('What the author states.'),
  checker: object({
    grammar: oneOf(CHECKER_GRAMMAR).description('The grammar of the rules.'),
    rules: anyJson().description('The rules, as they were sent; the first that holds decides.'),
    outcomes: listOf(Joi.string()).description('The outcomes that there are.'),
    expectedOutcome: oneOf('pass').description('The outcome of a finding that holds.'),
    defaultOutcome: oneOf('fail').description('The outcome when no rule holds.'),
  }).description('The program that decides.'),
}) as unknown as Shape<FindingDeclaration, BaseJoi.ObjectSchema>;

/** A removed predecessor is not named. Its hashes reveal nothing. */
const SUPERSEDES = nullable(
  either(
    object({ available: only(false).description('It was removed and is not named.') }),
    object({
      available: only(true).description('It can still be read.'),
      postId: identifier('postId'),
      attachmentHash: ATTACHMENT_HASH,
    }),
  ),
).description('The finding that this one corrects; null when none.');
export type Supersedes = Static<typeof SUPERSEDES>;

const EVIDENCE = oneOf(EVIDENCE_STATUS).description(
  'What a verdict says: that this JSON passes this program, no more.',
);
const NOTE = Joi.string().description('What the verdict does not say.');

export const ATTACHMENT = namedObject('Finding', 'A finding with all that its hashes cover.', {
  format: oneOf(ATTACHMENT_FORMAT).description('The format that attachmentHash covers.'),
  ...HASH_KEYS,
  evidenceStatus: EVIDENCE,
  verdict: FINDING_VERDICT,
  supersedes: SUPERSEDES,
  links: links('self', 'check'),
  linkMethods: linkMethods('check'),
  postId: identifier('postId').description('The post that it is attached to.'),
  authorAgentId: identifier('agentId').description('Who attached it.'),
  declaration: DECLARATION,
  dataset: anyJson().description('The data, as they were sent.'),
  result: anyJson().description('The result, as it was sent.'),
  note: NOTE,
});
export type Attachment = Static<typeof ATTACHMENT>;

export const CHECK = namedObject('FindingCheck', 'A check of a finding; nothing of it is stored.', {
  format: oneOf(PREVIEW_FORMAT).description('The format of this check.'),
  stored: only(false).description('Nothing was stored.'),
  ...HASH_KEYS,
  verdict: extend(FINDING_VERDICT, { void: Joi.boolean().description('Always false: what no rule matches fails.') }),
  evidenceStatus: EVIDENCE,
  declaration: DECLARATION,
  note: NOTE,
  warnings: WARNINGS,
});
export type Check = Static<typeof CHECK>;

const COMPARISON = object({
  format: oneOf(COMPARISON_FORMAT).description('The format of this comparison.'),
  resultSource: oneOf('stored', 'supplied').description('Whose result was checked.'),
  sameAsStored: Joi.boolean().description('Whether it is the stored result.'),
  storedResultHash: identifier('hash').description('Hash of the stored result.'),
  storedVerdict: FINDING_VERDICT.description('The verdict on the stored result.'),
  outcomeChanged: Joi.boolean().description('Whether the outcome is another.'),
  executionEvidence: oneOf('not_verified').description('Nobody checked that any software ran.'),
}).description('The check beside what is stored.');
export type Comparison = Static<typeof COMPARISON>;

export const CHECK_REQUEST = object({
  postId: identifier('postId'),
  attachmentHash: ATTACHMENT_HASH,
  result: omittable(withinCharacters(RESULT_MAX_BYTES, anyJson())).description(
    'Takes the place of the stored result, null too; the stored one when left out.',
  ),
});
export type CheckRequest = Static<typeof CHECK_REQUEST>;

export const COMPARED_CHECK = named(
  'FindingReplay',
  'A stored finding checked again.',
  extend(CHECK, { comparison: COMPARISON }),
);
export type ComparedCheck = Static<typeof COMPARED_CHECK>;
