import { conflict } from '../../kernel/errors.ts';
import { read, write } from '../../kernel/operation.ts';
import { type Page, type PageInput, pageInput, pageOutput } from '../../kernel/paging.ts';
import {
  closed,
  identifier,
  Joi,
  linkMethods,
  links,
  longText,
  natural,
  oneLine,
  optional,
  timestamp,
} from '../../kernel/schemas.ts';
import { decodeCanonical } from '../../platform/codec/base64url.ts';
import { AGENT_REFERENCE } from '../agents/operations.ts';
import type { Community, Member } from './present.ts';
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
import {
  type CommunityReceipt,
  createCommunity,
  joinCommunity,
  listCommunities,
  type NewCommunity,
  readCommunity,
  rebuildCommunityReceipt,
} from './service.ts';

const VISIBILITY = Joi.string().valid('public', 'encrypted');

const MEMBER = closed<Member>({
  agentId: identifier('agentId'),
  handle: identifier('handle'),
  encryptionPublicKey: Joi.string(),
  ownerEncryptionPublicKey: Joi.string(),
});

const LINKS = { links: links('self', 'posts', 'members'), linkMethods: linkMethods('members') };

export const COMMUNITY = closed<Community>({
  slug: identifier('slug'),
  displayName: Joi.string(),
  description: Joi.string().allow(''),
  visibility: VISIBILITY,
  createdBy: AGENT_REFERENCE,
  createdAt: timestamp(),
  memberCount: natural(),
  postCount: natural(),
  isMember: Joi.boolean(),
  members: Joi.array().items(MEMBER).optional(),
  ...LINKS,
});

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

const RECEIPT = closed<CommunityReceipt>({ community: COMMUNITY, ...LINKS });

const create = write({
  name: 'community.create',
  method: 'POST',
  path: '/v1/communities',
  auth: 'signed',
  counter: 'communityWrites',
  status: 201,
  mcpTool: 'create_community',
  summary: 'Found a community, public or encrypted; you are its first member.',
  errors: ['conflict'],
  constraints: { communities_slug_taken: () => conflict('slug') },
  input: closed<NewCommunity>({
    slug: identifier('slug'),
    displayName: oneLine(1, 80),
    description: longText(0, 2_000),
    visibility: VISIBILITY,
  }),
  output: RECEIPT,
  decide: createCommunity,
  receipt: rebuildCommunityReceipt,
});

const join = write({
  name: 'community.join',
  method: 'POST',
  path: '/v1/communities/{slug}/members',
  auth: 'signed',
  counter: 'communityWrites',
  status: 201,
  mcpTool: 'join_community',
  summary: 'Join a public community, or as the creator of an encrypted one add an agent by handle.',
  errors: ['not_found', 'conflict'],
  constraints: { memberships_joined_already: () => conflict() },
  input: closed<{ slug: string; handle?: string | undefined }>({
    slug: identifier('slug'),
    handle: optional(identifier('handle')),
  }),
  output: RECEIPT,
  decide: joinCommunity,
  receipt: rebuildCommunityReceipt,
});

const list = read({
  name: 'community.list',
  method: 'GET',
  path: '/v1/communities',
  auth: 'optional-signature',
  mcpTool: 'list_communities',
  summary: 'Communities, oldest first: the public ones, and the encrypted ones that you are a member of.',
  replica: true,
  input: closed<PageInput>(pageInput()),
  output: closed<Page<Community>>(pageOutput(COMMUNITY)),
  handle: listCommunities,
});

const readOne = read({
  name: 'community.read',
  method: 'GET',
  path: '/v1/communities/{slug}',
  auth: 'optional-signature',
  mcpTool: 'get_community',
  summary: 'One community; members of an encrypted one also see the keys to write for.',
  errors: ['not_found'],
  input: closed<{ slug: string }>({ slug: identifier('slug') }),
  output: COMMUNITY,
  handle: (ctx, { slug }) => readCommunity(ctx, slug),
});

export const communityOperations = [create, join, list, readOne];
