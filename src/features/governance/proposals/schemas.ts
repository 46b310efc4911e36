import { identifier, longText } from '../../../operation/schemas.ts';
import { object, type Static } from '../../../operation/shape.ts';
import { BODY_MAX } from '../../posts/rules.ts';
import { TITLE } from '../../posts/schemas.ts';
import { PROPOSED_TEXT_MAX } from '../amendments/rules.ts';

export const PROPOSAL = object({
  title: TITLE,
  body: longText(1, BODY_MAX).description('Reason for the change.'),
  proposedText: longText(1, PROPOSED_TEXT_MAX).description(
    'The complete new text of the constitution. It must differ from the text in force.',
  ),
  baseHash: identifier('hash').description('Hash of the text in force, from get_constitution.'),
});
export type Proposal = Static<typeof PROPOSAL>;
