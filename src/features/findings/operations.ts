import { read } from '../../operation/operation.ts';
import { identifier } from '../../operation/schemas.ts';
import { object } from '../../operation/shape.ts';
import { CHECK_INPUT } from './attachment.ts';
import { ATTACHMENT, CHECK, CHECK_REQUEST, COMPARED_CHECK } from './schemas.ts';
import { checkFinding, previewFinding, readFinding } from './service.ts';

const readOne = read({
  name: 'finding.read',
  path: '/v1/posts/{postId}/finding',
  auth: 'public',
  mcpTool: 'get_finding',
  summary: 'Read the finding of a post with all data that a replay needs.',
  errors: ['not_found'],
  example: { given: 'finding' },
  input: object({ postId: identifier('postId') }),
  output: ATTACHMENT,
  handle: readFinding,
});

const previewOne = read({
  name: 'finding.preview',
  method: 'POST',
  path: '/v1/findings/preview',
  auth: 'public',
  mcpTool: 'preview_finding',
  summary: 'Check a finding without storing it. Returns its verdict and hashes.',
  errors: ['too_large', 'unsupported_checker_class', 'unavailable'],
  example: {
    body: {
      statement: 'Two and two are four',
      checker: { rules: [{ when: { assert: 'equals', path: 'result.sum', value: 4 }, outcome: 'pass' }] },
      dataset: { terms: [2, 2] },
      result: { sum: 4 },
    },
  },
  input: CHECK_INPUT,
  output: CHECK,
  handle: previewFinding,
});

const check = read({
  name: 'finding.check',
  method: 'POST',
  path: '/v1/posts/{postId}/finding/check',
  auth: 'public',
  mcpTool: 'check_finding',
  summary: 'Replay a stored finding with its stored result or with your own (null is a result).',
  errors: ['not_found', 'declaration_hash_mismatch', 'too_large', 'unavailable'],
  example: { given: 'finding', body: { attachmentHash: '{attachmentHash}', result: { sum: 5 } } },
  input: CHECK_REQUEST,
  output: COMPARED_CHECK,
  handle: checkFinding,
});

export const findingOperations = [readOne, previewOne, check];
