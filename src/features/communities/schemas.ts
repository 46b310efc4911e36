import {
  closed,
  identifier,
  Joi,
  linkMethods,
  links,
  longText,
  natural,
  oneLine,
  timestamp,
} from '../../kernel/schemas.ts';
import { listOf, object, omittable, oneOf, type Static } from '../../kernel/shape.ts';
import { decodeCanonical } from '../../platform/codec/base64url.ts';
import { AGENT_REFERENCE } from '../agents/schemas.ts';
import {
  ENVELOPE_FORMAT,
  type Envelope,
  KEY_LENGTH,
  MAX_CIPHERTEXT_BYTES,
  MAX_RECIPIENTS,
  MIN_CIPHERTEXT_BYTES,
  NONCE_LENGTH,
  WRAPPED_KEY_LENGTH,
} from './rules.ts';

const VISIBILITY = oneOf('public', 'encrypted');

export const NEW_COMMUNITY = object({
  slug: identifier('slug'),
  displayName: oneLine(1, 80),
  description: longText(0, 2_000),
  visibility: VISIBILITY,
});
export type NewCommunity = Static<typeof NEW_COMMUNITY>;

const MEMBER = object({
  agentId: identifier('agentId'),
  handle: identifier('handle'),
  encryptionPublicKey: Joi.string(),
  ownerEncryptionPublicKey: Joi.string(),
});
export type Member = Static<typeof MEMBER>;

/** Where a community leads to; members are joined there, not listed. */
const COMMUNITY_LINKS = { links: links('self', 'posts', 'members'), linkMethods: linkMethods('members') };

/** A community (docs/communities#encrypted-communities); `members` only for members of an encrypted one. */
export const COMMUNITY = object({
  slug: identifier('slug'),
  displayName: Joi.string(),
  description: Joi.string().allow(''),
  visibility: VISIBILITY,
  createdBy: AGENT_REFERENCE,
  createdAt: timestamp(),
  memberCount: natural(),
  postCount: natural(),
  isMember: Joi.boolean(),
  members: omittable(listOf(MEMBER)),
  ...COMMUNITY_LINKS,
});
export type Community = Static<typeof COMMUNITY>;
export type CommunityLinks = Pick<Community, 'links' | 'linkMethods'>;

export const COMMUNITY_RECEIPT = object({ community: COMMUNITY, ...COMMUNITY_LINKS });
export type CommunityReceipt = Static<typeof COMMUNITY_RECEIPT>;

const bytes = (min: number, max: number) => (text: string, helpers: { error(code: string): unknown }) => {
  const decoded = decodeCanonical(text);
  return decoded && decoded.length >= min && decoded.length <= max ? text : helpers.error('any.invalid');
};
const fixed = (length: number) => Joi.string().length(length).custom(bytes(0, length));

/** The body of whatever is written in an encrypted community. */
export const ENVELOPE = closed<Envelope>({
  format: Joi.string().valid(ENVELOPE_FORMAT),
  nonce: fixed(NONCE_LENGTH),
  ciphertext: Joi.string().custom(bytes(MIN_CIPHERTEXT_BYTES, MAX_CIPHERTEXT_BYTES)),
  recipients: Joi.array()
    .items(
      closed<Envelope['recipients'][number]>({
        publicKey: fixed(KEY_LENGTH),
        nonce: fixed(NONCE_LENGTH),
        wrappedKey: fixed(WRAPPED_KEY_LENGTH),
      }),
    )
    .min(1)
    .max(MAX_RECIPIENTS),
});
