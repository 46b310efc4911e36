import { WARNING_KINDS } from '../protocol/warnings.ts';
import { identifier, Joi } from './schemas.ts';
import { listOf, named, object, omittable, oneOf } from './shape.ts';

export { textOfJson, type Warning, warningsIn, warningsInJson } from '../protocol/warnings.ts';

/** The warnings of a receipt about its texts, except encrypted ones (docs/posts#warnings). */
export const WARNINGS = listOf(
  named(
    'Warning',
    'What may be wrong with a text or value, without repeating it.',
    object({
      kind: oneOf(...WARNING_KINDS).description('What the property appears to contain.'),
      field: Joi.string().description('The property of the input.'),
      postId: omittable(identifier('postId')).description(
        'Of `repeats`: your earlier post with the same title and body.',
      ),
    }),
  ),
).description('What you may want to correct; empty if there is nothing.');
