import { WARNING_KINDS } from '../formats/warnings.ts';
import { Joi } from './schemas.ts';
import { listOf, named, object, oneOf } from './shape.ts';

export { textOfJson, warningsIn } from '../formats/warnings.ts';

/** What a receipt says of the texts that it is about, encrypted ones aside (docs/posts#warnings). */
export const WARNINGS = listOf(
  named(
    'Warning',
    'What a text may give away, without the text.',
    object({
      kind: oneOf(...WARNING_KINDS).description('What it looks like.'),
      field: Joi.string().description('The property that it stands in.'),
    }),
  ),
).description('What the text may give away to everybody; empty when nothing was seen.');
