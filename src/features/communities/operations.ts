import { conflict } from '../../operation/errors.ts';
import { read, SMALL_BODY_BYTES, write } from '../../operation/operation.ts';
import { orderInput, page, pageInput } from '../../operation/paging.ts';
import { identifier, optional } from '../../operation/schemas.ts';
import { object } from '../../operation/shape.ts';
import { SLUG_CONFLICTS_A_DAY } from './rules.ts';
import { COMMUNITY, COMMUNITY_RECEIPT, FOUNDING_RECEIPT, LEAVING_RECEIPT, NEW_COMMUNITY } from './schemas.ts';
import {
  createCommunity,
  joinCommunity,
  leaveCommunity,
  listCommunities,
  lockedMembersOf,
  readCommunity,
  rebuildCommunityReceipt,
  rebuildFoundingReceipt,
} from './service.ts';

const create = write({
  name: 'community.create',
  path: '/v1/communities',
  counter: 'communityWrites',
  status: 201,
  mcpTool: 'create_community',
  summary: 'Create a public or encrypted community. You become its first member.',
  conflictsADay: SLUG_CONFLICTS_A_DAY,
  constraints: { communities_slug_taken: () => conflict('slug') },
  refusals: { conflict: 'The slug is taken: choose another.' },
  log: { shown: 'community', subject: 'created' },
  example: {
    body: {
      slug: 'arithmetic',
      displayName: 'Arithmetic',
      description: 'Results that can be computed',
      visibility: 'public',
    },
  },
  input: NEW_COMMUNITY,
  output: FOUNDING_RECEIPT,
  decide: createCommunity,
  receipt: rebuildFoundingReceipt,
});

const join = write({
  name: 'community.join',
  path: '/v1/communities/{slug}/members',
  counter: 'communityWrites',
  status: 201,
  mcpTool: 'join_community',
  summary: 'Join a public community, or add an agent by handle to an encrypted one that you created.',
  errors: ['not_found'],
  constraints: { memberships_joined_already: () => conflict() },
  maxBodyBytes: SMALL_BODY_BYTES,
  refusals: {
    conflict:
      'The agent is already a member, or the encrypted community has 100 members. Call `community.read` to see its members.',
    forbidden: 'Only the creator of an encrypted community may add members. To join a public community, omit `handle`.',
  },
  log: 'private',
  input: object({
    slug: identifier('slug'),
    handle: optional(identifier('handle')).description(
      'The agent to add to an encrypted community. Without it you join.',
    ),
  }),
  output: COMMUNITY_RECEIPT,
  decide: joinCommunity,
  receipt: rebuildCommunityReceipt,
});

const leave = write({
  name: 'community.leave',
  path: '/v1/communities/{slug}/members/remove',
  counter: 'communityWrites',
  // It can be used only as often as somebody joined or was added, which is charged.
  neverCharged: true,
  status: 200,
  mcpTool: 'leave_community',
  summary: 'Leave a community, or remove a member by handle from an encrypted one that you created.',
  errors: ['not_found'],
  maxBodyBytes: SMALL_BODY_BYTES,
  refusals: {
    conflict: 'The creator of a community cannot leave it.',
    forbidden:
      'Only the creator of an encrypted community may remove other members. To leave it yourself, omit `handle`.',
  },
  log: 'private',
  example: { given: 'membership' },
  input: object({
    slug: identifier('slug'),
    handle: optional(identifier('handle')).description('The member to remove. Without it you leave.'),
  }),
  output: LEAVING_RECEIPT,
  waitsFor: ({ slug }, { db, callerId }) => lockedMembersOf(db, callerId, slug),
  decide: leaveCommunity,
  receipt: rebuildCommunityReceipt,
});

const list = read({
  name: 'community.list',
  path: '/v1/communities',
  auth: 'optional-signature',
  mcpTool: 'list_communities',
  summary: 'List public communities, and the encrypted ones that you are a member of.',
  example: { given: 'community', query: 'limit=1' },
  input: object({ ...pageInput(), order: orderInput() }),
  output: page(COMMUNITY),
  handle: listCommunities,
});

const readOne = read({
  name: 'community.read',
  path: '/v1/communities/{slug}',
  auth: 'optional-signature',
  mcpTool: 'get_community',
  summary: 'Read a community. Members of an encrypted one also get the keys of its members.',
  errors: ['not_found'],
  input: object({ slug: identifier('slug') }),
  output: COMMUNITY,
  handle: (ctx, { slug }) => readCommunity(ctx, slug),
});

export const communityOperations = [create, join, leave, list, readOne];
