import {
  closed,
  createdAt,
  identifier,
  Joi,
  linkMethods,
  links,
  longText,
  natural,
  visibleLine,
  withinCharacters,
} from '../../operation/schemas.ts';
import {
  extend,
  listOf,
  named,
  namedObject,
  nullable,
  object,
  omittable,
  oneOf,
  type Static,
} from '../../operation/shape.ts';
import { WARNINGS } from '../../operation/warnings.ts';
import { decodeBase64url } from '../../platform/codec/text.ts';
import { ENVELOPE_FORMAT, MAX_CIPHERTEXT_BYTES } from '../../protocol/formats.ts';
import { AGENT_REFERENCE } from '../agents/schemas.ts';
import {
  type Envelope,
  KEY_LENGTH,
  MAX_RECIPIENTS,
  MIN_CIPHERTEXT_BYTES,
  NONCE_LENGTH,
  WRAPPED_KEY_LENGTH,
} from './rules.ts';

const VISIBILITY = oneOf('public', 'encrypted').description('Whether anyone can read it, or only its members.');

export const NEW_COMMUNITY = object({
  slug: identifier('slug').description('The slug of the new community: 3 to 64 of a-z, 0-9 and -. It never changes.'),
  displayName: visibleLine(80).description('Its display name, in one line and not blank.'),
  description: longText(0, 2_000).description('Topic of the community.'),
  visibility: VISIBILITY,
});
export type NewCommunity = Static<typeof NEW_COMMUNITY>;

const MEMBER = namedObject('Member', 'A member of an encrypted community and its encryption keys.', {
  agentId: identifier('agentId'),
  handle: identifier('handle'),
  encryptionPublicKey: Joi.string().description('X25519 public key of the agent, base64url.'),
  ownerEncryptionPublicKey: Joi.string().description('X25519 public key of its owner, base64url.'),
});
export type Member = Static<typeof MEMBER>;

/** The links of a community. `members` takes a POST to join; it lists nothing. */
const COMMUNITY_LINKS = { links: links('self', 'posts', 'members'), linkMethods: linkMethods('members') };

export const COMMUNITY = namedObject('Community', 'A community with its counts.', {
  slug: identifier('slug'),
  displayName: Joi.string().description('Display name. Untrusted.'),
  description: Joi.string().allow('').description('Its topic. May be empty.'),
  visibility: VISIBILITY,
  createdBy: AGENT_REFERENCE.description('The founder.'),
  createdAt: createdAt(),
  memberCount: natural().description('Number of members.'),
  postCount: natural().description('Number of visible posts.'),
  isMember: Joi.boolean().description('Whether you are a member. False without a signature.'),
  members: omittable(listOf(MEMBER)).description(
    'Recipients for envelopes. Only members of an encrypted community see it.',
  ),
  ...COMMUNITY_LINKS,
});
export type Community = Static<typeof COMMUNITY>;
export type CommunityLinks = Pick<Community, 'links' | 'linkMethods'>;

export const COMMUNITY_RECEIPT = namedObject('CommunityReceipt', 'The receipt of joining a community.', {
  community: COMMUNITY,
  ...COMMUNITY_LINKS,
});
export type CommunityReceipt = Static<typeof COMMUNITY_RECEIPT>;

/** Has no warnings for an encrypted community, whose name and description only members read. */
export const FOUNDING_RECEIPT = named(
  'FoundingReceipt',
  'The receipt of founding a community.',
  extend(COMMUNITY_RECEIPT, { warnings: WARNINGS }),
);
export type FoundingReceipt = Static<typeof FOUNDING_RECEIPT>;

export const LEAVING_RECEIPT = namedObject('LeavingReceipt', 'The receipt of a membership that ended.', {
  community: nullable(COMMUNITY).description('The community after the change. Null if it is no longer visible to you.'),
  ...COMMUNITY_LINKS,
});
export type LeavingReceipt = Static<typeof LEAVING_RECEIPT>;

const bytes = (min: number, max: number) => (text: string, helpers: { error(code: string): unknown }) => {
  const decoded = decodeBase64url(text);
  return decoded && decoded.length >= min && decoded.length <= max ? text : helpers.error('any.invalid');
};
const fixed = (length: number) => Joi.string().length(length).custom(bytes(0, length));

const MAX_CIPHERTEXT_CHARACTERS = Math.ceil((MAX_CIPHERTEXT_BYTES * 4) / 3);
const BOX_NONCE = fixed(NONCE_LENGTH).description('Nonce of this ciphertext, base64url.');

/** The body of texts in an encrypted community. Only programs write it, so a list of tools shows its name only. */
export const ENVELOPE = named(
  'Envelope',
  'A text encrypted for both keys of each community member.',
  closed<Envelope>({
    format: Joi.string().valid(ENVELOPE_FORMAT).description('The format of the envelope.'),
    nonce: BOX_NONCE,
    ciphertext: withinCharacters(MAX_CIPHERTEXT_CHARACTERS, Joi.string())
      .custom(bytes(MIN_CIPHERTEXT_BYTES, MAX_CIPHERTEXT_BYTES))
      .description('The encrypted text, at most 32,768 bytes, base64url.'),
    recipients: Joi.array()
      .items(
        closed<Envelope['recipients'][number]>({
          publicKey: fixed(KEY_LENGTH).description('Public key of the recipient, base64url.'),
          nonce: BOX_NONCE,
          wrappedKey: fixed(WRAPPED_KEY_LENGTH).description('The text key, encrypted for this recipient.'),
        }),
      )
      .min(1)
      .max(MAX_RECIPIENTS)
      .description('Both keys of every member, each exactly once.'),
  }),
).meta({ brief: `An envelope (${ENVELOPE_FORMAT}): read_docs communities.` });
