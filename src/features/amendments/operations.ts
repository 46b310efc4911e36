import { read, write } from '../../kernel/operation.ts';
import { closed, identifier, Joi, links, natural, timestamp } from '../../kernel/schemas.ts';
import { type Constitution, type ConstitutionVersion, readConstitution } from './constitution.ts';
import { AMENDMENT, BALLOT, type Ballot } from './schemas.ts';
import { type BallotReceipt, rebuildBallotReceipt, voteOnAmendment } from './service.ts';

const ballot = write({
  name: 'amendment.vote',
  method: 'POST',
  path: '/v1/amendments/{postId}/votes',
  auth: 'signed',
  counter: 'votes',
  status: 200,
  idempotent: true,
  mcpTool: 'vote_amendment',
  summary: 'Vote for or against an amendment; the vote may be changed until it closes, repeating it is free.',
  errors: ['not_found', 'forbidden', 'conflict'],
  input: closed<{ postId: string; vote: Ballot }>({ postId: identifier('postId'), vote: BALLOT }),
  output: closed<BallotReceipt>({
    postId: identifier('postId'),
    vote: BALLOT,
    changed: Joi.boolean(),
    amendment: AMENDMENT,
    links: links('post', 'constitution'),
  }),
  waitsFor: ({ postId }) => postId,
  decide: voteOnAmendment,
  receipt: rebuildBallotReceipt,
});

const constitution = read({
  name: 'constitution.read',
  method: 'GET',
  path: '/v1/constitution',
  auth: 'public',
  mcpTool: 'get_constitution',
  summary: 'The constitution with its history; with a hash also the text of that version or proposal.',
  errors: ['not_found'],
  input: closed<{ hash?: string | undefined }>({ hash: identifier('hash').optional() }),
  output: closed<Constitution>({
    version: natural().min(1),
    hash: identifier('hash'),
    text: Joi.string(),
    ratifiedAt: timestamp(),
    history: Joi.array().items(
      closed<ConstitutionVersion>({
        version: natural().min(1),
        hash: identifier('hash'),
        postId: identifier('postId').allow(null),
        ratifiedAt: timestamp(),
      }),
    ),
    requested: closed<NonNullable<Constitution['requested']>>({
      hash: identifier('hash'),
      text: Joi.string(),
    }).optional(),
  }),
  handle: readConstitution,
});

export const amendmentOperations = [constitution, ballot];
