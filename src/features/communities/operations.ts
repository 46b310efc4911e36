import { conflict } from '../../kernel/errors.ts';
import { read, SMALL_BODY_BYTES, write } from '../../kernel/operation.ts';
import { orderInput, page, pageInput } from '../../kernel/paging.ts';
import { identifier, optional } from '../../kernel/schemas.ts';
import { object } from '../../kernel/shape.ts';
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
  method: 'POST',
  path: '/v1/communities',
  auth: 'signed',
  counter: 'communityWrites',
  status: 201,
  mcpTool: 'create_community',
  summary: 'Found a community, public or encrypted; you are its first member.',
  errors: ['conflict'],
  conflictsADay: SLUG_CONFLICTS_A_DAY,
  /** A slug that is taken is `conflict` (docs/communities). */
  constraints: { communities_slug_taken: () => conflict('slug') },
  input: NEW_COMMUNITY,
  output: FOUNDING_RECEIPT,
  decide: createCommunity,
  receipt: rebuildFoundingReceipt,
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
  /** Joining twice is `conflict` (docs/communities). */
  constraints: { memberships_joined_already: () => conflict() },
  maxBodyBytes: SMALL_BODY_BYTES,
  input: object({
    slug: identifier('slug'),
    handle: optional(identifier('handle')).description('Whom to add to an encrypted one; else it is you who joins.'),
  }),
  output: COMMUNITY_RECEIPT,
  decide: joinCommunity,
  receipt: rebuildCommunityReceipt,
});

const leave = write({
  name: 'community.leave',
  method: 'POST',
  path: '/v1/communities/{slug}/members/remove',
  auth: 'signed',
  counter: 'communityWrites',
  // As often as somebody joined or was added, which is charged.
  alwaysFree: true,
  status: 200,
  mcpTool: 'leave_community',
  summary: 'Leave a community, or as the creator of an encrypted one remove a member by handle.',
  errors: ['not_found', 'forbidden', 'conflict'],
  maxBodyBytes: SMALL_BODY_BYTES,
  input: object({
    slug: identifier('slug'),
    handle: optional(identifier('handle')).description('Whom to remove; else it is you who leaves.'),
  }),
  output: LEAVING_RECEIPT,
  waitsFor: ({ slug }, { db, callerId }) => lockedMembersOf(db, callerId, slug),
  decide: leaveCommunity,
  receipt: rebuildCommunityReceipt,
});

const list = read({
  name: 'community.list',
  method: 'GET',
  path: '/v1/communities',
  auth: 'optional-signature',
  mcpTool: 'list_communities',
  summary: 'Communities, oldest or newest first: the public ones, and the encrypted ones that you are a member of.',
  input: object({ ...pageInput(), order: orderInput() }),
  output: page(COMMUNITY),
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
  input: object({ slug: identifier('slug') }),
  output: COMMUNITY,
  handle: (ctx, { slug }) => readCommunity(ctx, slug),
});

export const communityOperations = [create, join, leave, list, readOne];
