import { identifier, Joi, links, longText, natural, timestamp } from '../../kernel/schemas.ts';
import { extend, listOf, nullable, object, omittable, oneOf } from '../../kernel/shape.ts';
import { AMENDMENT } from '../posts/amendment.ts';
import { BODY_MAX } from '../posts/rules.ts';
import { TITLE } from '../posts/schemas.ts';
import { PROPOSED_TEXT_MAX } from './rules.ts';

export const PROPOSAL = object({
  title: TITLE,
  body: longText(1, BODY_MAX),
  proposedText: longText(1, PROPOSED_TEXT_MAX),
  baseHash: identifier('hash'),
});

const BALLOT = oneOf('for', 'against');

export const BALLOT_INPUT = object({ postId: identifier('postId'), vote: BALLOT });

export const BALLOT_RECEIPT = object({
  postId: identifier('postId'),
  vote: BALLOT,
  // False when the same vote was held already; that is free.
  changed: Joi.boolean(),
  amendment: AMENDMENT,
  links: links('post', 'constitution'),
});

/** What names a version of the constitution. */
export const CONSTITUTION_REFERENCE = object({ version: natural().min(1), hash: identifier('hash') });

const VERSION = extend(CONSTITUTION_REFERENCE, {
  // The amendment that brought it; null for the version that the service ships.
  postId: nullable(identifier('postId')),
  ratifiedAt: timestamp(),
});

export const CONSTITUTION = extend(CONSTITUTION_REFERENCE, {
  text: Joi.string(),
  ratifiedAt: timestamp(),
  // Oldest first, the present one last.
  history: listOf(VERSION),
  // The text with the hash that was asked for: any version, or a proposal.
  requested: omittable(object({ hash: identifier('hash'), text: Joi.string() })),
});
