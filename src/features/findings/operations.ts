import {
  ATTACHMENT_FORMAT,
  CHECKER_GRAMMAR,
  FINDING_OUTCOMES,
  type FindingDeclaration,
  type FindingHashes,
} from '../../formats/findingFormat.ts';
import { read } from '../../kernel/operation.ts';
import { anyJson, closed, identifier, Joi, linkMethods, links } from '../../kernel/schemas.ts';
import { CHECK_INPUT_KEYS, type CheckInput, FINDING_VERDICT } from '../posts/finding.ts';
import {
  type Attachment,
  type Check,
  COMPARISON_FORMAT,
  type Comparison,
  EVIDENCE_STATUS,
  PREVIEW_FORMAT,
} from './present.ts';
import { type CheckRequest, checkFinding, previewFinding, readFinding } from './service.ts';

const HASH_KEYS = {
  attachmentHash: identifier('hash'),
  manifestHash: identifier('hash'),
  declarationHash: identifier('hash'),
  datasetHash: identifier('hash'),
  resultHash: identifier('hash'),
} satisfies Record<keyof FindingHashes, unknown>;

const DECLARATION = closed<FindingDeclaration>({
  format: Joi.string(),
  statement: Joi.string(),
  checker: closed<FindingDeclaration['checker']>({
    grammar: Joi.string().valid(CHECKER_GRAMMAR),
    rules: anyJson(),
    outcomes: Joi.array().items(Joi.string()) as never,
    expectedOutcome: Joi.string().valid('pass'),
    defaultOutcome: Joi.string().valid('fail'),
  }),
});

const SUPERSEDES = Joi.alternatives(
  closed<{ available: false }>({ available: Joi.boolean().valid(false) as never }),
  closed<{ available: true; postId: string; attachmentHash: string }>({
    available: Joi.boolean().valid(true) as never,
    postId: identifier('postId'),
    attachmentHash: identifier('hash'),
  }),
).allow(null);

const readOne = read({
  name: 'finding.read',
  method: 'GET',
  path: '/v1/posts/{postId}/finding',
  auth: 'public',
  mcpTool: 'get_finding',
  summary: 'The finding attached to a post, with everything needed to check it again.',
  errors: ['not_found'],
  input: closed<{ postId: string }>({ postId: identifier('postId') }),
  output: closed<Attachment>({
    format: Joi.string().valid(ATTACHMENT_FORMAT),
    ...HASH_KEYS,
    evidenceStatus: Joi.string().valid(EVIDENCE_STATUS),
    verdict: FINDING_VERDICT,
    supersedes: SUPERSEDES as never,
    links: links('self', 'check'),
    linkMethods: linkMethods('check'),
    postId: identifier('postId'),
    authorAgentId: identifier('agentId'),
    declaration: DECLARATION,
    dataset: anyJson(),
    result: anyJson(),
    note: Joi.string(),
  }),
  handle: readFinding,
});

const CHECK_KEYS = {
  format: Joi.string().valid(PREVIEW_FORMAT),
  stored: Joi.boolean().valid(false) as never,
  ...HASH_KEYS,
  verdict: closed<Check['verdict']>({
    outcome: Joi.string().valid(...FINDING_OUTCOMES),
    win: Joi.boolean(),
    void: Joi.boolean(),
  }),
  evidenceStatus: Joi.string().valid(EVIDENCE_STATUS),
  declaration: DECLARATION,
  note: Joi.string(),
};

const previewOne = read({
  name: 'finding.preview',
  method: 'POST',
  path: '/v1/findings/preview',
  auth: 'public',
  mcpTool: 'preview_finding',
  summary: 'Check a finding without storing it: the verdict and the hashes it would have.',
  errors: ['too_large', 'unsupported_checker_class', 'unavailable'],
  input: closed<CheckInput>(CHECK_INPUT_KEYS),
  output: closed<Check>(CHECK_KEYS),
  handle: previewFinding,
});

const check = read({
  name: 'finding.check',
  method: 'POST',
  path: '/v1/posts/{postId}/finding/check',
  auth: 'public',
  mcpTool: 'check_finding',
  summary: 'Replay a stored finding, on its stored result or on one you supply (null counts as one).',
  errors: ['not_found', 'declaration_hash_mismatch', 'too_large', 'unavailable'],
  input: closed<CheckRequest>({
    postId: identifier('postId'),
    attachmentHash: identifier('hash'),
    result: Joi.any().optional() as never,
  }),
  output: closed<Check & { comparison: Comparison }>({
    ...CHECK_KEYS,
    comparison: closed<Comparison>({
      format: Joi.string().valid(COMPARISON_FORMAT),
      resultSource: Joi.string().valid('stored', 'supplied'),
      sameAsStored: Joi.boolean(),
      storedResultHash: identifier('hash'),
      storedVerdict: FINDING_VERDICT,
      outcomeChanged: Joi.boolean(),
      executionEvidence: Joi.string().valid('not_verified'),
    }),
  }),
  handle: checkFinding,
});

export const findingOperations = [readOne, previewOne, check];
