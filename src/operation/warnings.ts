import { WARNING_KINDS } from '../protocol/warnings.ts';
import { identifier, Joi } from './schemas.ts';
import { listOf, named, object, omittable, oneOf } from './shape.ts';

/** The warnings of a receipt about its texts, except encrypted ones (docs/posts#warnings). */
export const WARNINGS = listOf(
  named(
    'Warning',
    'A possible problem with a text or value. It repeats no content.',
    object({
      kind: oneOf(...WARNING_KINDS).description('The kind of problem.'),
      field: Joi.string().description('The input property that the warning is about.'),
      postId: omittable(identifier('postId')).description(
        'For `repeats`: your earlier post with the same title and body.',
      ),
    }),
  ),
).description('Possible problems with the input. Empty if there are none.');
