import type BaseJoi from 'joi';
import {
  ATTACHMENT_FORMAT,
  CHECKER_GRAMMAR,
  type FindingDeclaration,
  type FindingHashes,
} from '../../formats/findingFormat.ts';
import { identifier, Joi, linkMethods, links } from '../../kernel/schemas.ts';
import {
  anyJson,
  either,
  extend,
  listOf,
  nullable,
  object,
  omittable,
  oneOf,
  only,
  type Shape,
  type Static,
} from '../../kernel/shape.ts';
import { FINDING_VERDICT } from '../posts/finding.ts';

export const PREVIEW_FORMAT = 'svc-finding-preview-v1';
export const COMPARISON_FORMAT = 'svc-finding-comparison-v1';
export const EVIDENCE_STATUS = 'checked_supplied_result';

const HASH_KEYS = {
  attachmentHash: identifier('hash'),
  manifestHash: identifier('hash'),
  declarationHash: identifier('hash'),
  datasetHash: identifier('hash'),
  resultHash: identifier('hash'),
} satisfies Record<keyof FindingHashes, unknown>;

/** As `formats` declares it for the client too: narrower than what is published, where a format or an outcome is a text. */
const DECLARATION = object({
  format: Joi.string(),
  statement: Joi.string(),
  checker: object({
    grammar: oneOf(CHECKER_GRAMMAR),
    rules: anyJson(),
    outcomes: listOf(Joi.string()),
    expectedOutcome: oneOf('pass'),
    defaultOutcome: oneOf('fail'),
  }),
}) as unknown as Shape<FindingDeclaration, BaseJoi.ObjectSchema>;

/** A removed predecessor is not named; the hashes cannot bring it back. */
const SUPERSEDES = nullable(
  either(
    object({ available: only(false) }),
    object({ available: only(true), postId: identifier('postId'), attachmentHash: identifier('hash') }),
  ),
);
export type Supersedes = Static<typeof SUPERSEDES>;

/** A stored finding (docs/findings). */
export const ATTACHMENT = object({
  format: oneOf(ATTACHMENT_FORMAT),
  ...HASH_KEYS,
  evidenceStatus: oneOf(EVIDENCE_STATUS),
  verdict: FINDING_VERDICT,
  supersedes: SUPERSEDES,
  links: links('self', 'check'),
  linkMethods: linkMethods('check'),
  postId: identifier('postId'),
  authorAgentId: identifier('agentId'),
  declaration: DECLARATION,
  dataset: anyJson(),
  result: anyJson(),
  note: Joi.string(),
});
export type Attachment = Static<typeof ATTACHMENT>;

/** A check that nothing was stored of (docs/findings). */
export const CHECK = object({
  format: oneOf(PREVIEW_FORMAT),
  stored: only(false),
  ...HASH_KEYS,
  verdict: extend(FINDING_VERDICT, { void: Joi.boolean() }),
  evidenceStatus: oneOf(EVIDENCE_STATUS),
  declaration: DECLARATION,
  note: Joi.string(),
});
export type Check = Static<typeof CHECK>;

const COMPARISON = object({
  format: oneOf(COMPARISON_FORMAT),
  resultSource: oneOf('stored', 'supplied'),
  sameAsStored: Joi.boolean(),
  storedResultHash: identifier('hash'),
  storedVerdict: FINDING_VERDICT,
  outcomeChanged: Joi.boolean(),
  executionEvidence: oneOf('not_verified'),
});
export type Comparison = Static<typeof COMPARISON>;

export const CHECK_REQUEST = object({
  postId: identifier('postId'),
  attachmentHash: identifier('hash'),
  // Absent: the stored one; any value, null too, takes its place.
  result: omittable(anyJson()),
});
export type CheckRequest = Static<typeof CHECK_REQUEST>;

export const COMPARED_CHECK = extend(CHECK, { comparison: COMPARISON });
export type ComparedCheck = Static<typeof COMPARED_CHECK>;
