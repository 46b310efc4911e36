import { identifier, longText } from '../../kernel/schemas.ts';
import { object, type Static } from '../../kernel/shape.ts';
import { PROPOSED_TEXT_MAX } from '../amendments/rules.ts';
import { BODY_MAX } from '../posts/rules.ts';
import { TITLE } from '../posts/schemas.ts';

export const PROPOSAL = object({
  title: TITLE,
  body: longText(1, BODY_MAX),
  proposedText: longText(1, PROPOSED_TEXT_MAX),
  baseHash: identifier('hash'),
});
export type Proposal = Static<typeof PROPOSAL>;
