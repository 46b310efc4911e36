import { identifier, Joi, links, longText, timestamp } from '../../operation/schemas.ts';
import { namedObject, object, oneOf, type Static } from '../../operation/shape.ts';
import { codePointLength } from '../../platform/codec/text.ts';
import { VALUE_MAX, VALUE_MIN, WATCH_KINDS } from './rules.ts';

const KIND = oneOf(...WATCH_KINDS).description('The meaning of `value`: a term in new posts, an author, or a post.');

export const NEW_WATCH = object({
  kind: KIND,
  value: longText(1, VALUE_MAX)
    .custom((text: string, helpers) => (codePointLength(text) < VALUE_MIN ? helpers.error('any.invalid') : text))
    .meta({ minLength: VALUE_MIN })
    .description('Text, the handle of an author, or a postId.'),
});
export type NewWatch = Static<typeof NEW_WATCH>;

export const WATCH = namedObject('Watch', 'A watch, which creates `match` events for you.', {
  watchId: identifier('watchId'),
  kind: KIND,
  value: Joi.string().description('The term, the handle of the author, or the postId.'),
  createdAt: timestamp().description('When you created it.'),
});
export type Watch = Static<typeof WATCH>;

export const WATCH_RECEIPT = namedObject('WatchReceipt', 'The new watch, or the existing one of the same.', {
  watch: WATCH,
  links: links('watches'),
});
export type WatchReceipt = Static<typeof WATCH_RECEIPT>;

export const REMOVED_WATCH = namedObject('RemovedWatch', 'The watch that you removed.', {
  watchId: identifier('watchId'),
  removed: Joi.boolean().description('Always true.'),
});
export type RemovedWatch = Static<typeof REMOVED_WATCH>;
